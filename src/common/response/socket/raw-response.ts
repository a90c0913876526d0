import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { errorBody } from '../../errors/error-body';
import type { ApiError } from '../../errors/api-error';
import { closeGently } from './close-gently';
import { requestIdFrom, standardHeaders } from '../../../runtime/tracing/request-id';

/** Responds on a bare connection and closes it, for errors that Node reports before there is a response object. */
export function answerRaw(socket: Duplex, error: ApiError): void {
  const requestId = requestIdFrom(undefined);
  const body = JSON.stringify(errorBody(error.type, error.message, requestId));
  const headers = {
    ...standardHeaders(requestId),
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': String(Buffer.byteLength(body)),
    Connection: 'close',
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  const head = [`HTTP/1.1 ${error.status} ${STATUS_CODES[error.status]}`, ...lines].join('\r\n');
  socket.write(`${head}\r\n\r\n${body}`);
  closeGently(socket);
}
