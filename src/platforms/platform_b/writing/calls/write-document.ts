import { isJsonArray, isJsonObject, ownMember, type JsonObject } from '@app/mapper';
import { UNCERTAIN } from '../../../live/writing/send-result';
import { companyPath, companyUrl } from '../../addresses';
import { failureIn } from '../../odata-failure';
import type { DocumentPage } from '../../pages/page';
import { textIn } from '../../pages/compare-fields';
import type { LineStep } from '../fields/only-line';
import { refusedWith, type SendResult } from './send-result';
import { sendWrite, type WriteContext } from '../write-context';

/** A change of a document: of its header, of its only line, or of both. */
export interface DocumentStep {
  readonly header: JsonObject | undefined;
  readonly line: Exclude<LineStep, { readonly kind: 'refused' }> | undefined;
}

/**
 * Writes to a document. Header and line go together, in one transaction of the platform: either both are changed or none.
 *
 * @param document as it was just read; each call names the version it is for
 */
export async function writeDocument(
  work: WriteContext,
  page: DocumentPage,
  document: JsonObject,
  { header, line }: DocumentStep,
): Promise<SendResult> {
  const { settings } = work.session;
  const requests = [
    ...(header === undefined ? [] : [headerRequest(page, document, header)]),
    ...(line === undefined ? [] : [lineRequest(page, document, line)]),
  ];
  const [only] = requests;
  if (requests.length === 1 && only !== undefined) {
    const { path, ...request } = only;
    const sent = await sendWrite(work, { ...request, url: `${companyUrl(settings)}/${path}` });
    // The response shows the line, and nothing of the document.
    return sent.status === 'done' && header === undefined ? doneWith(undefined, sent.body) : sent;
  }
  const body = {
    requests: requests.map(({ method, path, body: inner, headers }, index) => ({
      id: String(index + 1),
      method,
      url: `${companyPath(settings)}/${path}`,
      headers: { 'Content-Type': 'application/json', ...headers },
      body: inner,
    })),
  };
  const url = `${settings.api_url}/$batch`;
  const sent = await sendWrite(work, { method: 'POST', url, body, headers: { isolation: 'snapshot' } });
  return sent.status === 'done' ? batchOf(sent.body, requests.length, work.now()) : sent;
}

/**
 * The result of a batch in one transaction. If one request failed, nothing was done: the requests before it report a
 * success that was rolled back.
 */
function batchOf(answer: JsonObject | undefined, requests: number, now: Date): SendResult {
  const responses = answer && ownMember(answer, 'responses');
  if (!isJsonArray(responses) || !responses.every(isJsonObject)) return UNCERTAIN;
  for (const response of responses) {
    const status = Number(ownMember(response, 'status'));
    if (!(status >= 400)) continue;
    return refusedWith(failureIn(status, ownMember(response, 'body')), now, undefined);
  }
  if (responses.length < requests) return UNCERTAIN;
  const [header, line] = [responses[0], responses.at(-1)].map((one) => one && ownMember(one, 'body'));
  return doneWith(isJsonObject(header) ? header : undefined, isJsonObject(line) ? line : undefined);
}

function doneWith(body: JsonObject | undefined, line: JsonObject | undefined): SendResult {
  return { status: 'done', body, ...(line !== undefined && { line }) };
}

interface DocumentRequest {
  readonly method: 'POST' | 'PATCH';
  /** Below the company. */
  readonly path: string;
  readonly body: JsonObject;
  readonly headers: Readonly<Record<string, string>>;
}

function headerRequest(page: DocumentPage, document: JsonObject, body: JsonObject): DocumentRequest {
  const path = `${page.name}(${textIn(document, 'id')})`;
  return { method: 'PATCH', path, body, headers: { 'If-Match': textIn(document, '@odata.etag') } };
}

function lineRequest(
  page: DocumentPage,
  document: JsonObject,
  line: NonNullable<DocumentStep['line']>,
): DocumentRequest {
  if (line.kind === 'add') {
    const path = `${page.name}(${textIn(document, 'id')})/${page.lines}`;
    return { method: 'POST', path, body: line.body, headers: {} };
  }
  const path = `${page.lines}(${line.id})`;
  return { method: 'PATCH', path, body: line.body, headers: { 'If-Match': line.etag } };
}
