import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Response } from 'express';
import { whenClosed } from './when-closed';

/** The client disconnected before it had its response. No response can reach it. */
export class ClientGone extends Error {
  override readonly name = 'ClientGone';

  constructor() {
    super('The client is gone');
  }
}

/** A signal that aborts, with ClientGone as reason, when the client disconnects before its response is sent. */
export const WhenClientGone = createParamDecorator((_: unknown, context: ExecutionContext): AbortSignal => {
  const response = context.switchToHttp().getResponse<Response>();
  const gone = new AbortController();
  const leave = (): void => {
    if (!response.writableFinished) gone.abort(new ClientGone());
  };
  whenClosed(response, leave);
  return gone.signal;
});
