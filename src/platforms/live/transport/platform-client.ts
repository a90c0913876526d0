import type { Logger } from '../../../runtime/logging/logger';
import type { Metrics } from '../../../runtime/metrics/metrics';
import { loggedWork, workAttributes } from '../../../runtime/tracing/logged-work';
import { outgoingHeaders } from '../../../runtime/tracing/request-context';
import type { Span, Spans } from '../../../runtime/tracing/spans';
import type { TraceContext } from '../../../runtime/tracing/trace-context';
import type { ConnectionName } from '../../connector';
import { RateLimitWaitTooLong, type Permit } from '../pacing/permit';
import { requestedPauseMs, responseFacts } from '../pacing/response-facts';
import type { RateLimitRules } from '../pacing/rules';
import type { Time } from '../time';
import { loggedPath, loggedResult, statusClass } from './call-log';
import { callAttributes, noteResult } from './call-span';
import type { HttpExchanges } from './http-exchanges';
import { limitsOf, type CallKind, type CallLimits, type PlatformRequest } from '../platform-request';
import type { NotSent, PlatformResult } from '../platform-result';
import { pauseBeforeRetry } from './retry';
import { withoutToken } from './without-token';

/** Sends calls to a platform. */
export interface RequestSender {
  /**
   * Sends a call and waits for its result.
   *
   * @throws the signal's reason when it aborts, except for a write that was not sent yet. Failures of the platform or the network are results, not exceptions
   */
  send(request: PlatformRequest): Promise<PlatformResult>;
}

/** The rate limiter that the calls of one client pass. */
export interface CallLimiter {
  /** Waits for a permit, as `RateLimiter.acquire` does. */
  acquire(kind: CallKind, signal: AbortSignal, waitLimitMs?: number): Promise<Permit>;
  rules(): RateLimitRules;
}

/** The parts that all clients share. */
export interface ClientParts {
  readonly exchanges: Pick<HttpExchanges, 'send'>;
  readonly metrics: Metrics;
  readonly spans: Spans;
  readonly logger: Logger;
  readonly time: Time;
}

type Headers = Readonly<Record<string, string>>;

/** The result of a write whose signal aborted before it was sent, so that its caller need not assume that it was. */
export function unsentWrite({ kind, signal }: Pick<PlatformRequest, 'kind' | 'signal'>): NotSent | undefined {
  return kind === 'write' && signal.aborted ? { kind: 'not_sent', reason: 'given_up' } : undefined;
}

/**
 * Sends the calls of one connection. Each attempt acquires a permit, is counted and is logged. A read is repeated
 * within the call's deadline if that may help. A write is sent once.
 */
export class PlatformClient implements RequestSender {
  /** @param limiter undefined for a host with limits of its own, such as the token server */
  constructor(
    private readonly connection: ConnectionName,
    private readonly parts: ClientParts,
    private readonly limiter?: CallLimiter,
  ) {}

  /** @throws also DatabaseUnavailable if the rate limiter cannot reach the database; nothing was sent then */
  async send(request: PlatformRequest): Promise<PlatformResult> {
    const { time } = this.parts;
    const limits = limitsOf(request);
    let leftMs = limits.deadlineMs;
    for (let attempts = 1; ; attempts += 1) {
      const permit = await this.enter(request, limits);
      if (permit !== undefined && 'kind' in permit) return permit;
      const began = time.now();
      const attempt = { ...limits, deadlineMs: leftMs };
      const { result, askedMs } = await this.within(request, attempts, (span) =>
        this.attempt(request, attempt, permit, span),
      );
      leftMs -= time.now() - began;
      if (request.kind === 'write') return result;
      const pause = pauseBeforeRetry({
        result,
        attempts,
        leftMs,
        askedMs: this.limiter === undefined ? askedMs : undefined,
        random: time.random(),
      });
      if (pause === undefined) return result;
      await time.sleep(pause, request.signal);
      leftMs -= pause;
    }
  }

  private async enter(
    request: PlatformRequest,
    { limiterMs }: CallLimits,
  ): Promise<Permit | NotSent | undefined> {
    const { kind, signal } = request;
    // A write begins and ends with reads. Behind those of a long reading they would wait for as long as it takes.
    const isOfCommand = this.connection.commandId !== undefined;
    const rank = isOfCommand ? 'write' : kind;
    // A command that waited longer would keep its place in the dispatcher, and goes back to the outbox instead.
    const waitMs = isOfCommand ? Math.min(limiterMs, limitsOf({ kind: 'write' }).limiterMs) : limiterMs;
    try {
      return await this.limiter?.acquire(rank, signal, waitMs);
    } catch (error) {
      if (error instanceof RateLimitWaitTooLong)
        return { kind: 'not_sent', reason: 'rate_limiter', until: error.until, afterMs: error.ms };
      const unsent = unsentWrite(request);
      if (unsent !== undefined) return unsent;
      throw error;
    }
  }

  /** Records an attempt as a span. */
  private within<Result>(
    request: PlatformRequest,
    attempts: number,
    work: (span: Span) => Promise<Result>,
  ): Promise<Result> {
    const { trace, cause } = this.connection;
    const attributes = { ...workAttributes(this.connection), ...callAttributes(request, attempts) };
    const start = { name: request.method, kind: 'client', attributes } as const;
    return this.parts.spans.around(start, trace ?? cause?.trace, work);
  }

  private async attempt(
    request: PlatformRequest,
    limits: CallLimits,
    permit: Permit | undefined,
    span: Span,
  ): Promise<{ readonly result: PlatformResult; readonly askedMs: number | undefined }> {
    const { exchanges, time } = this.parts;
    const began = time.now();
    try {
      const sent = this.inContext(request, span.trace);
      const came = await exchanges.send(sent, limits);
      const result = withoutToken(came, sent.headers['authorization'], request.answersCaller);
      this.tell(request, result, time.now() - began);
      noteResult(span, result);
      if (result.kind !== 'not_sent') request.attempted?.(result);
      if (result.kind !== 'answered') {
        permit?.release(result.kind === 'not_sent' ? 'unsent' : null);
        return { result, askedMs: undefined };
      }
      const facts = responseFacts(result.response, this.limiter?.rules().headers);
      permit?.release(facts);
      return { result, askedMs: requestedPauseMs(facts) };
    } finally {
      // Has an effect only if the call was aborted. It may have reached the platform.
      permit?.release(null);
    }
  }

  /** Adds the request ID and the trace to a call. The call's author cannot override them. */
  private inContext(
    request: PlatformRequest,
    trace: TraceContext | undefined,
  ): PlatformRequest & { readonly headers: Headers } {
    const headers: Headers = { ...request.headers, ...outgoingHeaders(this.connection.cause, trace) };
    return { ...request, headers };
  }

  private tell({ kind, method, url }: PlatformRequest, result: PlatformResult, ms: number): void {
    const { metrics, logger } = this.parts;
    const { platform } = this.connection;
    metrics.countPlatformCall(platform, kind, statusClass(result));
    const line = {
      context: 'Platform',
      ...loggedWork(this.connection),
      method,
      path: loggedPath(url),
      ...loggedResult(result),
      ms: Math.round(ms),
    };
    if (result.kind === 'answered' && result.response.status === 429) {
      metrics.countPlatformRefusal(platform);
      logger.warn(line, 'A platform refused a call because of its limits');
    } else {
      logger.debug(line, 'A call to a platform');
    }
  }
}
