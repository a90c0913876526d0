import { stringifyJson, type JsonValue } from '@app/mapper';
import { invalidInput } from '../../../common/errors/api-error';
import type { CallerOutcome, CallerRequest, SendCallerRequest } from '../../caller-request';
import type { ConnectionName } from '../../connector';
import type { AccessForm, LiveAccess } from '../live-access';
import type { CallKind, CallLimits, PlatformRequest } from '../platform-request';
import type { PlatformResponse } from '../platform-response';
import type { PlatformResult } from '../platform-result';
import { TokenTimes } from '../tokens/token-times';
import { platformErrorOf } from '../transport/result-error';
import { headerProblems, shownHeaders } from './forwarded-headers';
import { readPath } from './request-path';

/** The parts of a request by which a platform's rules keep it within its connection. */
export interface PlacedRequest extends Pick<CallerRequest, 'query' | 'body'> {
  /** The decoded segments of the path; at least one. */
  readonly segments: readonly string[];
}

/** How a platform takes requests of callers. */
export interface ForwardingForm<Settings> {
  readonly access: AccessForm<Settings>;
  /** The address that every request stays below, without a slash at its end. */
  readonly base: (settings: Settings) => string;
  /** Headers of every call. A caller may replace those that it may send. */
  readonly headers: (settings: Settings) => Readonly<Record<string, string>>;
  /** Headers, in lower case, that a caller may send to this platform only. */
  readonly alsoSendable: readonly string[];
  /** Why a request leaves the connection: another company, or what the service itself keeps there. */
  readonly problems: (settings: Settings, request: PlacedRequest) => readonly string[];
}

const MB = 1024 * 1024;

/** A caller waits for the answer, so these calls end sooner than those of runs and of the outbox. */
const limits = {
  read: { deadlineMs: 30_000, headersMs: 25_000, bodyMs: 10_000, limiterMs: 10_000, mostBytes: MB },
  write: { deadlineMs: 60_000, headersMs: 55_000, bodyMs: 10_000, limiterMs: 10_000, mostBytes: MB },
} satisfies Readonly<Record<CallKind, Partial<CallLimits>>>;

const { maxWait, request: tokenRequest } = new TokenTimes();

/**
 * The longest time that a write can take, in milliseconds: the wait for a token, the one for the rate limiter, and the call
 * itself, and all of it once more after a 401.
 */
export const LONGEST_WRITE_MS =
  2 * (maxWait + tokenRequest + limits.write.limiterMs + limits.write.deadlineMs);

/** Parameters of a query, and characters of all of them together. */
const MOST_PARAMETERS = 100;
const LONGEST_QUERY = 8_000;

/**
 * Checks a request of a caller, without a call to the platform.
 *
 * @returns a function that sends it with the credentials of the connection, within the platform's limits
 * @throws ApiError VALIDATION_ERROR for a request that leaves the connection; CONFLICT_ERROR without credentials
 */
export async function openForwarding<Settings>(
  access: LiveAccess,
  connection: ConnectionName,
  form: ForwardingForm<Settings>,
  request: CallerRequest,
): Promise<SendCallerRequest> {
  const { settings, sender } = await access.open(connection, form.access);
  const { method, headers, body } = request;
  const kind = method === 'GET' ? 'read' : 'write';
  const call: Omit<PlatformRequest, 'signal'> = {
    kind,
    method,
    url: addressOf(settings, form, request),
    headers: { ...form.headers(settings), ...headers },
    limits: limits[kind],
    answersCaller: true,
    ...(body !== undefined && { body: { type: 'json', text: stringifyJson(body) } }),
  };
  return async (signal) => outcomeOf(connection, await sender.send({ ...call, signal }));
}

/** @throws ApiError VALIDATION_ERROR */
function addressOf<Settings>(
  settings: Settings,
  form: ForwardingForm<Settings>,
  { method, path, query, headers, body }: CallerRequest,
): string {
  const read = readPath(path);
  const text = queryText(query);
  const base = new URL(form.base(settings)).href.replace(/\/$/, '');
  const problems = [
    ...('problem' in read
      ? [`path ${read.problem}`]
      : [...form.problems(settings, { ...read, query, body }), ...misread(base, path)]),
    ...(query.length > MOST_PARAMETERS ? [`query must have at most ${MOST_PARAMETERS} parameters`] : []),
    ...(text.length > LONGEST_QUERY ? [`query must have at most ${LONGEST_QUERY} characters`] : []),
    ...headerProblems(headers, form.alsoSendable),
    ...(method === 'GET' && body !== undefined ? ['body must be absent: a GET has none'] : []),
  ];
  if (problems.length > 0) throw invalidInput([...new Set(problems)]);
  return `${base}${path}${text === '' ? '' : `?${text}`}`;
}

// The service sends exactly the path that it has checked, whatever a parser of addresses makes of the path.
function misread(base: string, path: string): readonly string[] {
  return new URL(base + path).href === base + path
    ? []
    : ['path is not read by every server as it is written'];
}

/** Slashes and the `$` of OData's options stay as they are: platforms do not take them escaped everywhere. */
function queryText(query: CallerRequest['query']): string {
  const encoded = (text: string): string =>
    encodeURIComponent(text).replaceAll('%24', '$').replaceAll('%2F', '/');
  return query.map(([name, value]) => `${encoded(name)}=${encoded(value)}`).join('&');
}

function outcomeOf({ platform }: ConnectionName, result: PlatformResult): CallerOutcome {
  switch (result.kind) {
    case 'answered': {
      const { response } = result;
      const answer = { status: response.status, headers: shownHeaders(response), body: bodyOf(response) };
      return { kind: 'answered', answer };
    }
    case 'not_sent':
      return { kind: 'not_sent', error: platformErrorOf(platform, result) };
    case 'unknown':
      return { kind: 'unknown', error: platformErrorOf(platform, result) };
  }
}

function bodyOf(response: PlatformResponse): JsonValue {
  const json = response.json();
  if (json.kind === 'json') return json.value;
  return json.problem === 'empty' || json.problem === 'not_utf8' ? null : response.text;
}
