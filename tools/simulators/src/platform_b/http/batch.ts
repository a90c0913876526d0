import {
  isJsonArray,
  isJsonObject,
  JsonTextError,
  ownMember,
  parseJsonText,
  stringifyJson,
  type JsonObject,
  type JsonValue,
} from '@app/mapper';
import type { Reply, SeededRandom } from '../../server';
import type { Company } from '../company/company';
import { badRequest, ODataError, wrongMethod } from '../odata-error';
import type { Api } from './api';
import type { ApiCall } from './api-call';
import { errorReply } from './errors';

const MOST_REQUESTS = 100;

/** Thrown to roll back a batch with one transaction after its answers are known. */
class TakenBack extends Error {}

/** The number of requests of a batch, which are not read for it. */
export function sizeOfBatch(call: ApiCall): number {
  return requestsOf(call).length;
}

/**
 * Answers `POST $batch`: up to a hundred requests in sequence. Without `Isolation: snapshot` they are independent.
 * With it, the first failure ends the batch and rolls back the requests before it, although their answers report
 * success.
 */
export function batchReply(company: Company, api: Api, random: SeededRandom, call: ApiCall): Reply {
  if (call.method !== 'POST') throw wrongMethod(call.method);
  const requests = requestsOf(call);
  if (requests.length > MOST_REQUESTS) {
    throw badRequest(`The batch has ${requests.length} requests. Maximum (${MOST_REQUESTS}).`);
  }
  const isOne = call.headers.isolation?.trim().toLowerCase() === 'snapshot';
  const responses: JsonObject[] = [];
  const answer = (request: JsonObject): number => {
    const { id, reply } = itemReply(company, api, random, call, request);
    const type: JsonObject =
      reply.json === undefined ? {} : { 'content-type': 'application/json; odata.metadata=minimal' };
    responses.push({
      id,
      status: reply.status,
      headers: { ...type, ...reply.headers },
      ...(reply.json !== undefined && { body: reply.json }),
      ...(reply.text !== undefined && { body: reply.text }),
    });
    return reply.status;
  };
  if (!isOne) {
    requests.forEach(answer);
    return { status: 200, json: { responses } };
  }
  try {
    company.caused('api', () =>
      company.store.transaction(() => {
        for (const request of requests) if (answer(request) >= 400) throw new TakenBack();
      }),
    );
  } catch (error) {
    if (!(error instanceof TakenBack)) throw error;
  }
  return { status: 200, json: { responses } };
}

function itemReply(
  company: Company,
  api: Api,
  random: SeededRandom,
  batch: ApiCall,
  request: JsonObject,
): { readonly id: JsonValue; readonly reply: Reply } {
  const id = ownMember(request, 'id') ?? null;
  try {
    return { id, reply: api.answer(itemCall(batch, request)) };
  } catch (error) {
    if (!(error instanceof ODataError)) throw error;
    const isUnknown = company.switches.get('batchErrorCode') === 'Unknown';
    const shown = isUnknown ? new ODataError(error.status, 'Unknown', error.message, error.headers) : error;
    return { id, reply: errorReply(shown, batch.headers['accept-language'], random) };
  }
}

function itemCall(batch: ApiCall, request: JsonObject): ApiCall {
  const method = ownMember(request, 'method');
  const url = ownMember(request, 'url');
  const headers = ownMember(request, 'headers') ?? {};
  const body = ownMember(request, 'body');
  if (typeof method !== 'string' || typeof url !== 'string' || !isJsonObject(headers)) {
    throw badRequest('A request of the batch is not valid.');
  }
  const [path = '', query = ''] = belowRoot(batch.root, url).split('?', 2);
  return {
    route: batch.route,
    method: method.toUpperCase(),
    path,
    query: new URLSearchParams(query),
    rawQuery: query,
    headers: {
      'accept-language': batch.headers['accept-language'] ?? '',
      ...Object.fromEntries(
        Object.entries(headers).flatMap(([name, value]) =>
          typeof value === 'string' ? [[name.toLowerCase(), value]] : [],
        ),
      ),
    },
    body: body === undefined ? '' : typeof body === 'string' ? body : stringifyJson(body),
    root: batch.root,
  };
}

// A path relative to the root; the request may contain the complete root.
function belowRoot(root: string, url: string): string {
  const rootPath = new URL(root).pathname;
  for (const start of [root, rootPath]) if (url.startsWith(`${start}/`)) return url.slice(start.length + 1);
  if (/^(\/|https?:)/.test(url)) {
    throw badRequest(`The url '${url}' is not relative to the service.`, 'BadRequest_InvalidRequestUrl');
  }
  return url;
}

function requestsOf(call: ApiCall): readonly JsonObject[] {
  const type = call.headers['content-type'] ?? '';
  if (type.toLowerCase().startsWith('multipart/')) {
    throw new ODataError(
      500,
      'Internal_ServerError',
      'Multiple requests within the same change set are not supported.',
    );
  }
  const requests = bodyOf(call);
  if (isJsonArray(requests) && requests.every(isJsonObject)) return requests;
  throw badRequest('Invalid Request Body');
}

function bodyOf({ body }: ApiCall): JsonValue | undefined {
  try {
    const json = parseJsonText(body);
    return isJsonObject(json) ? ownMember(json, 'requests') : undefined;
  } catch (error) {
    if (error instanceof JsonTextError) return undefined;
    throw error;
  }
}
