import { randomUUID } from 'node:crypto';

/** The place of a request in a trace: W3C Trace Context, https://www.w3.org/TR/trace-context/. */
export interface TraceContext {
  /** ID of the whole trace: 32 hexadecimal digits, not all 0. */
  readonly traceId: string;
  /** ID of this service's span: 16 hexadecimal digits, not all 0. */
  readonly spanId: string;
  /** ID of the caller's span; undefined if the trace begins here. */
  readonly parentId: string | undefined;
  /** Two hexadecimal digits. The lowest bit says that the trace is recorded. */
  readonly flags: string;
  /** Data of the tracing systems for each other, passed on unchanged. */
  readonly state: string | undefined;
}

const form = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const nothing = /^0+$/;

/**
 * The longest `tracestate` that is passed on. The standard requires 512 characters and allows a longer value to be
 * dropped as a whole.
 */
const MOST_STATE = 512;

/**
 * Continues the trace of a request, or begins a new one.
 *
 * @param traceparent the header as received. If it does not have the standard's form, it is ignored together with
 *   `tracestate`
 */
export function traceContextOf(traceparent: string | undefined, tracestate?: string): TraceContext {
  const spanId = newSpanId();
  const caller = traceInHeaders(traceparent, tracestate);
  if (caller !== undefined) return { ...caller, spanId, parentId: caller.spanId };
  return { traceId: newTraceId(), spanId, parentId: undefined, flags: '00', state: undefined };
}

/**
 * The place in a trace from which {@link traceHeaders} were made. It was already this service's place, so no new span
 * begins. Undefined for any other text.
 */
export function storedTrace(traceparent: string, tracestate: string | undefined): TraceContext | undefined {
  const place = traceInHeaders(traceparent, tracestate);
  return place && { ...place, parentId: undefined };
}

/** The place in the headers; undefined if they do not have the standard's form. */
export function traceInHeaders(
  traceparent: string | undefined,
  tracestate: string | undefined,
): Omit<TraceContext, 'parentId'> | undefined {
  const [, version = '', traceId = '', spanId = '', flags = '', more] =
    form.exec(traceparent?.trim() ?? '') ?? [];
  const isValid =
    version !== '' &&
    version !== 'ff' &&
    !(version === '00' && more !== undefined) && // Later versions of the standard may have more members.
    !nothing.test(traceId) &&
    !nothing.test(spanId);
  if (!isValid) return undefined;
  // An empty `tracestate` is not passed on.
  const usable = tracestate !== undefined && tracestate.trim() !== '' && tracestate.length <= MOST_STATE;
  const state = usable ? tracestate : undefined;
  // Only this flag has a meaning. The standard forbids passing the others on.
  return { traceId, spanId, flags: (parseInt(flags, 16) & 1) === 1 ? '01' : '00', state };
}

/** The headers with which a called system continues the trace. */
export function traceHeaders({
  traceId,
  spanId,
  flags,
  state,
}: TraceContext): Readonly<Record<string, string>> {
  return {
    traceparent: `00-${traceId}-${spanId}-${flags}`,
    ...(state !== undefined && { tracestate: state }),
  };
}

/** A random trace ID: 32 hexadecimal digits. */
export function newTraceId(): string {
  return randomUUID().replaceAll('-', '');
}

/** A random span ID: 16 hexadecimal digits. */
export function newSpanId(): string {
  const uuid = randomUUID();
  const id = uuid.slice(0, 8) + uuid.slice(-8); // Its version and variant, which are fixed, stand between.
  return nothing.test(id) ? newSpanId() : id;
}
