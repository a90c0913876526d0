import {
  createTraceState,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace as contexts,
  TraceFlags,
  type Context,
  type Span as OpenTelemetrySpan,
  type Tracer,
} from '@opentelemetry/api';
import {
  errorType,
  Spans,
  type BegunRequest,
  type RequestSpan,
  type Span,
  type SpanAttributes,
  type SpanStart,
} from '../tracing/spans';
import { traceInHeaders, type TraceContext } from '../tracing/trace-context';

const KINDS = {
  internal: SpanKind.INTERNAL,
  client: SpanKind.CLIENT,
  consumer: SpanKind.CONSUMER,
} as const satisfies Record<SpanStart['kind'], SpanKind>;

/** Records spans with a tracer of OpenTelemetry, whose sampler decides which spans are recorded. */
export class RecordedSpans extends Spans {
  constructor(
    private readonly tracer: Tracer,
    override readonly stop: () => Promise<void>,
  ) {
    super();
  }

  override ofRequest(
    method: string,
    traceparent: string | undefined,
    tracestate: string | undefined,
  ): BegunRequest {
    const caller = traceInHeaders(traceparent, tracestate);
    const span = this.tracer.startSpan(method, { kind: SpanKind.SERVER }, contextOf(caller, true));
    const trace = traceOf(span, caller);
    return { trace, span: span.isRecording() ? new RecordedSpan(span, trace) : undefined };
  }

  override async around<Result>(
    { name, kind, attributes }: SpanStart,
    parent: TraceContext | undefined,
    work: (span: Span) => Promise<Result>,
  ): Promise<Result> {
    const span = this.tracer.startSpan(name, { kind: KINDS[kind] }, contextOf(parent, false));
    const recorded = new RecordedSpan(span, traceOf(span, parent));
    recorded.set(attributes);
    try {
      return await work(recorded);
    } catch (error) {
      recorded.fail(errorType(error));
      throw error;
    } finally {
      span.end();
    }
  }
}

class RecordedSpan implements RequestSpan {
  constructor(
    private readonly span: OpenTelemetrySpan,
    readonly trace: TraceContext,
  ) {}

  set(attributes: SpanAttributes): void {
    this.span.setAttributes(attributes);
  }

  fail(type: string): void {
    this.span.setAttribute('error.type', type);
    this.span.setStatus({ code: SpanStatusCode.ERROR });
  }

  end(name: string): void {
    this.span.updateName(name);
    this.span.end();
  }
}

/** The parent in the form of the API. OpenTelemetry distinguishes callers from work of this process. */
function contextOf(parent: Omit<TraceContext, 'parentId'> | undefined, isRemote: boolean): Context {
  if (parent === undefined) return ROOT_CONTEXT;
  const { traceId, spanId, flags, state } = parent;
  return contexts.setSpanContext(ROOT_CONTEXT, {
    traceId,
    spanId,
    traceFlags: flags === '01' ? TraceFlags.SAMPLED : TraceFlags.NONE,
    isRemote,
    ...(state !== undefined && { traceState: createTraceState(state) }),
  });
}

function traceOf(span: OpenTelemetrySpan, parent: Omit<TraceContext, 'parentId'> | undefined): TraceContext {
  const { traceId, spanId, traceFlags } = span.spanContext();
  return {
    traceId,
    spanId,
    parentId: parent?.spanId,
    flags: (traceFlags & TraceFlags.SAMPLED) === 0 ? '00' : '01',
    state: parent?.state, // As it was received: the API's form may drop members.
  };
}
