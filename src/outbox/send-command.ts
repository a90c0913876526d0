import type { JsonObject } from '@app/mapper';
import type { Connector } from '../connectors/connector';
import { writeCommandOf, type StoredCommand } from './outbox-command';

/** What is known of a command after it was sent, or looked for. */
export type Verdict =
  | { readonly status: 'applied'; readonly payload: JsonObject }
  | { readonly status: 'rejected' | 'held'; readonly reason: string }
  | { readonly status: 'conflict'; readonly current: JsonObject }
  | { readonly status: 'put_back'; readonly as: 'waiting' | 'uncertain'; readonly until: Date };

const SECOND = 1_000;
const LONGEST_PAUSE = 300 * SECOND;

/**
 * Sends a command, or looks what came of it where it may have been sent before. Never throws for what a connector
 * does: what is not known for certain is uncertain.
 *
 * @param signal ends the attempt
 * @param failed called with what a connector throws, which it should not
 */
export async function sendCommand(
  connector: Connector,
  customerId: string,
  command: StoredCommand,
  signal: AbortSignal,
  now: () => Date,
  failed: (error: unknown) => void,
): Promise<Verdict> {
  const connection = { customerId, platform: command.platform, mode: command.mode };
  const write = writeCommandOf(customerId, command);
  const later = (milliseconds: number): Date => new Date(now().getTime() + milliseconds);
  const unsure: Verdict = { status: 'put_back', as: 'uncertain', until: later(pause(command.attempts)) };
  try {
    if (command.status === 'uncertain') {
      const attempt = { startedAt: command.sentAt ?? now(), before: command.base };
      const settlement = await connector.settle(connection, write, attempt, signal);
      return settlement.status === 'not_applied'
        ? { status: 'put_back', as: 'waiting', until: later(pause(command.attempts - 1)) }
        : settlement;
    }
    const outcome = await connector.submit(connection, write, signal);
    if (outcome.status === 'uncertain')
      return { ...unsure, until: later(command.attempts > 2 ? pause(command.attempts) : 0) };
    if (outcome.status === 'deferred') return { status: 'put_back', as: 'waiting', until: outcome.until };
    return outcome;
  } catch (error) {
    failed(error);
    return unsure;
  }
}

// The first looks come at once, the later ones ever more rarely.
function pause(attempts: number): number {
  return attempts <= 2 ? attempts * 50 : Math.min(LONGEST_PAUSE, SECOND * 2 ** Math.min(attempts - 3, 10));
}
