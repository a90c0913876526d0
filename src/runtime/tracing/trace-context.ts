import { pooledRandomHex } from './random-pool';

/** The place of a request in a trace: W3C Trace Context, https://www.w3.org/TR/trace-context/. */
export interface TraceContext {
  /** Of the whole trace: 32 hexadecimal digits, not all 0. */
  readonly traceId: string;
  /** Of this service's part: 16 hexadecimal digits, not all 0. */
  readonly spanId: string;
  /** The caller's part; undefined where the trace begins here. */
  readonly parentId: string | undefined;
  /** Two hexadecimal digits; the lowest bit says that the trace is recorded. */
  readonly flags: string;
  /** Notes of tracing systems to one another, passed on unchanged. */
  readonly state: string | undefined;
}

const form = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const nothing = /^0+$/;

/** The longest `tracestate` that is passed on. The standard asks for 512 characters, and allows dropping a longer one whole. */
const MOST_STATE = 512;

/**
 * Continues the trace of a request, or begins one.
 *
 * @param traceparent the header as received. One without the standard's form is ignored, and `tracestate` with it
 */
export function traceContextOf(traceparent: string | undefined, tracestate?: string): TraceContext {
  const spanId = randomId(8);
  const caller = placeIn(traceparent, tracestate);
  if (caller !== undefined) return { ...caller, spanId, parentId: caller.spanId };
  return { traceId: randomId(16), spanId, parentId: undefined, flags: '00', state: undefined };
}

/**
 * The place in a trace that {@link traceHeaders} were made of; it was ours already, so no new part begins. Undefined where
 * they are none.
 */
export function storedTrace(traceparent: string, tracestate: string | undefined): TraceContext | undefined {
  const place = placeIn(traceparent, tracestate);
  return place && { ...place, parentId: undefined };
}

/** The place that headers name; undefined where they do not have the standard's form. */
function placeIn(
  traceparent: string | undefined,
  tracestate: string | undefined,
): Omit<TraceContext, 'parentId'> | undefined {
  const [, version = '', traceId = '', spanId = '', flags = '', more] =
    form.exec(traceparent?.trim() ?? '') ?? [];
  const isValid =
    version !== '' &&
    version !== 'ff' &&
    !(version === '00' && more !== undefined) && // Later versions may have more members.
    !nothing.test(traceId) &&
    !nothing.test(spanId);
  if (!isValid) return undefined;
  // An empty one is not passed on.
  const usable = tracestate !== undefined && tracestate.trim() !== '' && tracestate.length <= MOST_STATE;
  const state = usable ? tracestate : undefined;
  // Only this flag has a meaning; the standard forbids passing the others on.
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

function randomId(bytes: number): string {
  const id = pooledRandomHex(bytes);
  return nothing.test(id) ? randomId(bytes) : id;
}
