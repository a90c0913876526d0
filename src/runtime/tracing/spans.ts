import { types } from 'node:util';
import { ApiError } from '../../common/errors/api-error';
import { traceContextOf, type TraceContext } from './trace-context';

/** Facts about a piece of work, by names of OpenTelemetry's semantic conventions. Undefined values are left out. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean | undefined>>;

/** A piece of work that begins. */
export interface SpanStart {
  /** One of few values: no part of it comes from a caller or a record. */
  readonly name: string;
  /** `client` calls another system, `consumer` takes work from a queue, `internal` is any other work. */
  readonly kind: 'internal' | 'client' | 'consumer';
  readonly attributes: SpanAttributes;
}

/** A piece of work under way. It may be recorded or not. */
export interface Span {
  /** Its place in the trace, for the work that it causes; undefined while no spans are recorded at all. */
  readonly trace: TraceContext | undefined;
  set(attributes: SpanAttributes): void;
  /** Marks the work as failed. @param type of the error, one of few values: a message may quote records */
  fail(type: string): void;
}

/** The span of a request, which is named when its route is known. */
export interface RequestSpan extends Span {
  end(name: string): void;
}

/** A request that begins: its place in the trace, and its span if that is recorded. */
export interface BegunRequest {
  readonly trace: TraceContext;
  readonly span: RequestSpan | undefined;
}

/**
 * Records the service's work as spans of traces. The parent of a span is passed as an argument, like the context of a
 * request; neither is ambient.
 */
export abstract class Spans {
  /** Begins a request, in the trace of its caller if the headers name one. */
  abstract ofRequest(
    method: string,
    traceparent: string | undefined,
    tracestate: string | undefined,
  ): BegunRequest;

  /**
   * Does some work within a span, which fails if the work throws.
   *
   * @param parent the work that caused it; undefined if it begins a trace
   */
  abstract around<Result>(
    start: SpanStart,
    parent: TraceContext | undefined,
    work: (span: Span) => Promise<Result>,
  ): Promise<Result>;

  /** Sends the recorded spans within a second, and records no further ones. */
  abstract stop(): Promise<void>;
}

const NOT_RECORDED: Span = { trace: undefined, set: () => undefined, fail: () => undefined };

/** Records nothing. */
export class NoSpans extends Spans {
  override ofRequest(
    _method: string,
    traceparent: string | undefined,
    tracestate: string | undefined,
  ): BegunRequest {
    return { trace: traceContextOf(traceparent, tracestate), span: undefined };
  }

  override around<Result>(
    _start: SpanStart,
    _parent: TraceContext | undefined,
    work: (span: Span) => Promise<Result>,
  ): Promise<Result> {
    return work(NOT_RECORDED);
  }

  override stop(): Promise<void> {
    return Promise.resolve();
  }
}

/** The type of an error, without its message: one of the API's types, or the name of its class. */
export function errorType(error: unknown): string {
  if (error instanceof ApiError) return error.type;
  return types.isNativeError(error) ? error.name : '_OTHER';
}
