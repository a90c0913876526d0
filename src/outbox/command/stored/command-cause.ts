import { isJsonObject, ownMember, parseJsonText, type JsonValue } from '@app/mapper';
import type { RequestContext } from '../../../runtime/tracing/request-context';
import { storedTrace, traceHeaders } from '../../../runtime/tracing/trace-context';

/** The request behind a command, as it is stored. */
export function causeText({ requestId, trace }: RequestContext): string {
  return JSON.stringify({ request_id: requestId, ...traceHeaders(trace) });
}

/** The request behind a command, from its stored text; undefined for a command that an older release stored without it. */
export function causeFrom(text: string | null): RequestContext | undefined {
  const value: JsonValue = text === null ? null : parseJsonText(text);
  if (!isJsonObject(value)) return undefined;
  const requestId = ownMember(value, 'request_id');
  const parent = ownMember(value, 'traceparent');
  const state = ownMember(value, 'tracestate');
  if (typeof requestId !== 'string' || typeof parent !== 'string') return undefined;
  const trace = storedTrace(parent, typeof state === 'string' ? state : undefined);
  return trace && { requestId, trace };
}
