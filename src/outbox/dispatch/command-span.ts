import type { Span, SpanStart } from '../../runtime/tracing/spans';
import { workAttributes, type LoggedWork } from '../../runtime/tracing/logged-work';
import type { StoredCommand } from '../command/outbox-command';
import type { AttemptOutcome } from '../outcome/attempt-outcome';

/** The span of one attempt to send or settle a command, a child of the request that made the change. */
export function commandSpan(work: LoggedWork, command: StoredCommand): SpanStart {
  const { entityType, propagationId, attempts, platformId } = command;
  return {
    name: 'outbox command',
    kind: 'consumer',
    attributes: {
      ...workAttributes(work),
      'translation.entity_type': entityType,
      'translation.propagation_id': propagationId,
      'translation.creates': platformId === null,
      'translation.attempts': attempts,
    },
  };
}

const FAILURES: ReadonlySet<string> = new Set(['rejected', 'held', 'uncertain']);

/** Sets the outcome on the span, without the platform's message, which may quote a record. */
export function noteAttempt(span: Span, outcome: AttemptOutcome): void {
  const status = outcome.status === 'put_back' ? outcome.as : outcome.status;
  span.set({ 'translation.outcome': status });
  if (FAILURES.has(status)) span.fail(status);
}
