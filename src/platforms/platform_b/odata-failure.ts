import { isJsonObject, ownMember, shortened, type JsonValue } from '@app/mapper';
import { LONGEST_REASON, oneLine } from '../live/refusal-text';
import type { PlatformResponse } from '../live/platform-response';

/** An answer that refuses. */
export interface ODataFailure {
  readonly status: number;
  /** `error.code`; empty where the answer is none of the platform's own, such as a gateway's page. */
  readonly code: string;
  /** The readable part of the failure, in the platform's words; undefined if there is none. */
  readonly words: string | undefined;
}

/** Reads a response without a 2xx status. */
export function failureOf(response: PlatformResponse): ODataFailure {
  const json = response.json();
  return failureIn(response.status, json.kind === 'json' ? json.value : undefined);
}

/** Reads the failure of one request of a batch. */
export function failureIn(status: number, body: JsonValue | undefined): ODataFailure {
  const error = isJsonObject(body) ? ownMember(body, 'error') : undefined;
  if (!isJsonObject(error)) return { status, code: '', words: undefined };
  const code = ownMember(error, 'code');
  const message = ownMember(error, 'message');
  return {
    status,
    code: typeof code === 'string' ? code : '',
    words: typeof message === 'string' ? wordsIn(message) : undefined,
  };
}

/**
 * Whether a record does not exist, or is not visible. The platform gives each refusal a code, and other codes with 404 are
 * about something else. A 404 without a code comes from a gateway, which knows nothing about records.
 */
export function isGone({ status, code }: ODataFailure): boolean {
  return goneCodes.has(code) || (status === 404 && code === UNKNOWN);
}

/** Whether the platform does not have such an address, such as that of a page that is not published. */
export function isWrongAddress({ code }: ODataFailure): boolean {
  return addressCodes.has(code);
}

const goneCodes: ReadonlySet<string> = new Set(['Internal_RecordNotFound', 'Internal_DataNotFoundFilter']);
const addressCodes: ReadonlySet<string> = new Set(['BadRequest_NotFound', 'BadRequest_ResourceNotFound']);
/** The code of a request in a batch whose refusal has no other one. */
const UNKNOWN = 'Unknown';

// The correlation ID is for the log, where the platform's own header has it.
function wordsIn(message: string): string | undefined {
  const words = oneLine(message)
    .replace(/CorrelationId: ?[\w-]*\.?$/i, '')
    .trimEnd();
  return words === '' || /<[a-z!/]/i.test(words) ? undefined : shortened(words, LONGEST_REASON);
}
