import type { JsonValue } from '@app/mapper';
import { later } from '../../runtime/clock/later';
import type { TraceContext } from '../../runtime/tracing/trace-context';
import {
  RetryLater,
  type Attempt,
  type Connection,
  type Connector,
  type PartialWrite,
  type Settlement,
} from '../../platforms/connector';
import { writeCommandOf, type StoredCommand } from '../command/outbox-command';
import type { PutBack } from '../command/stored/commands.repository';
import { addProgress } from '../command/partial/partial-progress';
import type { AttemptOutcome } from '../outcome/attempt-outcome';

/** The collaborators and limits of one attempt to send or settle a command. */
export interface SendContext {
  readonly connector: Connector;
  readonly customerId: string;
  /** The span of the attempt; absent while no spans are recorded. */
  readonly trace?: TraceContext | undefined;
  /** Aborts the attempt. */
  readonly signal: AbortSignal;
  /** Whether the lease leaves enough time to send. A process that was suspended may find that its lease has expired. */
  readonly inTime: () => boolean;
  readonly now: () => Date;
  /** Renews the lease. Returns false if another instance has claimed the command. */
  readonly keepLease: () => Promise<boolean>;
  /** Stores and commits the connector's notes. Returns whether the command may still be sent. */
  readonly keepNotes: (notes: JsonValue) => Promise<boolean>;
  /** Receives exceptions of a connector. Connectors should not throw. */
  readonly failed: (error: unknown) => void;
}

/** Milliseconds. */
const SECOND = 1_000;
/** The longest pause between two attempts, in milliseconds. */
const LONGEST_PAUSE = 300 * SECOND;

/**
 * Sends a command, or settles it if it may have been sent before. An exception of a connector makes the outcome
 * uncertain and is not rethrown.
 */
export async function sendCommand(sender: SendContext, command: StoredCommand): Promise<AttemptOutcome> {
  return command.status === 'uncertain' ? checkOutcome(sender, command) : send(sender, command);
}

async function checkOutcome(sender: SendContext, command: StoredCommand): Promise<AttemptOutcome> {
  const { connector, now, failed } = sender;
  const again = later(now(), pause(command.checks + 1));
  // Notes are stored before anything is sent. Without notes nothing was sent, and the connector could not settle the
  // command.
  if (connector.prepare !== undefined && command.notes === undefined) {
    const until = later(now(), pause(command.attempts - 1));
    return { status: 'put_back', as: 'waiting', until, isUnsent: true };
  }
  try {
    // Settling may send what is missing, and the claim may be older than its lease.
    if (!(await sender.keepLease())) return { status: 'lost' };
    if (isOver(sender)) return { status: 'put_back', as: 'uncertain', until: now() };
    const settlement = await settlementOf(sender, command);
    switch (settlement.status) {
      case 'not_applied':
        return {
          status: 'put_back',
          as: 'waiting',
          until: later(now(), pause(command.attempts - 1)),
          ...madeBy(command, settlement.made),
        };
      case 'uncertain':
        if (settlement.fault !== undefined) failed(settlement.fault);
        return {
          status: 'put_back',
          as: 'uncertain',
          until: latest(again, settlement.until),
          ...madeBy(command, settlement.made),
          ...(settlement.sent && { hasSent: true }),
        };
      default:
        return settlement;
    }
  } catch (error) {
    failed(error);
    // Settling may have sent calls of its own before it failed.
    return { status: 'put_back', as: 'uncertain', until: again, hasSent: true };
  }
}

async function send(sender: SendContext, command: StoredCommand): Promise<AttemptOutcome> {
  if (isOver(sender)) return { status: 'put_back', as: 'waiting', until: sender.now() };
  const earlier = notesOfEarlierCreation(command);
  const late = earlier === undefined ? undefined : await checkBeforeResending(sender, command);
  if (late !== undefined) return late;
  const prepared = await prepare(sender, command, earlier);
  if (!('notes' in prepared)) return prepared;
  if (isOver(sender)) return { status: 'put_back', as: 'waiting', until: sender.now() };
  return submit(sender, command, prepared.notes);
}

/** Whether the attempt has no time left. It may have waited for a lock before. */
function isOver({ signal, inTime }: SendContext): boolean {
  return signal.aborted || !inTime();
}

/** The notes of an earlier attempt to create the record, if its outcome is unknown. */
function notesOfEarlierCreation({ platformId, givenUpAt, notes }: StoredCommand): JsonValue | undefined {
  return platformId === null && givenUpAt !== null ? notes : undefined;
}

/** Takes the connector's notes and stores them. Without them nothing may be sent: then the result is the outcome. */
async function prepare(
  sender: SendContext,
  command: StoredCommand,
  earlier: JsonValue | undefined,
): Promise<{ readonly notes: JsonValue | undefined } | AttemptOutcome> {
  const { connector, customerId, signal, now, failed } = sender;
  if (connector.prepare === undefined) return { notes: undefined };
  try {
    const write = writeCommandOf(customerId, command);
    const notes = await connector.prepare(connectionOf(sender, command), write, signal, earlier);
    return (await sender.keepNotes(notes)) ? { notes } : { status: 'lost' };
  } catch (error) {
    const again = later(now(), pause(command.attempts));
    if (error instanceof RetryLater) {
      return { status: 'put_back', as: 'waiting', until: latest(again, error.until), reason: error.reason };
    }
    failed(error);
    const reason = `${command.platform} could not be asked`;
    return { status: 'put_back', as: 'waiting', until: again, reason };
  }
}

async function submit(
  sender: SendContext,
  command: StoredCommand,
  notes: JsonValue | undefined,
): Promise<AttemptOutcome> {
  const { connector, customerId, signal, now, failed } = sender;
  try {
    const write = writeCommandOf(customerId, command);
    const begun = attemptOf(sender, { ...command, givenUpAt: null });
    const attempt = { ...begun, ...(notes !== undefined && { notes }) };
    const outcome = await connector.submit(connectionOf(sender, command), write, signal, attempt);
    switch (outcome.status) {
      case 'uncertain':
        if (outcome.fault !== undefined) failed(outcome.fault);
        return {
          status: 'put_back',
          as: 'uncertain',
          until: latest(now(), outcome.until),
          ...madeBy(command, outcome.made),
        };
      case 'deferred': {
        // The pause grows with the number of attempts that the platform defers.
        const until = latest(later(now(), pause(command.attempts)), outcome.until);
        const { reason = `${command.platform} does not take it yet` } = outcome;
        return { status: 'put_back', as: 'waiting', until, reason };
      }
      default:
        return outcome;
    }
  } catch (error) {
    failed(error);
    return { status: 'put_back', as: 'uncertain', until: later(now(), pause(1)) };
  }
}

/**
 * Checks once more for the effect of a creation that was given up, right before the record is created again. An
 * overloaded platform may have executed the request long after the last check. Undefined if there is no effect.
 */
async function checkBeforeResending(
  sender: SendContext,
  command: StoredCommand,
): Promise<AttemptOutcome | undefined> {
  const { now, failed } = sender;
  const until = later(now(), pause(command.attempts));
  const reason = `${command.platform} could not be asked`;
  try {
    if (!(await sender.keepLease())) return { status: 'lost' };
    if (isOver(sender)) return { status: 'put_back', as: 'waiting', until: now() };
    const settlement = await settlementOf(sender, command);
    if (settlement.status === 'not_applied') return undefined;
    if (settlement.status !== 'uncertain') return settlement;
    if (settlement.fault !== undefined) failed(settlement.fault);
    return {
      status: 'put_back',
      as: 'waiting',
      until: latest(until, settlement.until),
      reason,
      ...madeBy(command, settlement.made),
      ...(settlement.sent && { hasSent: true }),
    };
  } catch (error) {
    failed(error);
    // Settling may have sent calls of its own before it failed.
    return { status: 'put_back', as: 'waiting', until, reason, hasSent: true };
  }
}

function settlementOf(sender: SendContext, command: StoredCommand): Promise<Settlement> {
  const { connector, customerId, signal } = sender;
  const write = writeCommandOf(customerId, command);
  return connector.settle(connectionOf(sender, command), write, attemptOf(sender, command), signal);
}

function connectionOf(
  { customerId, trace }: SendContext,
  { id, platform, mode, cause }: StoredCommand,
): Connection {
  return { customerId, platform, mode, commandId: id, ...(cause && { cause }), ...(trace && { trace }) };
}

function madeBy({ made }: StoredCommand, more: PartialWrite | undefined): Pick<PutBack, 'made'> {
  return more === undefined ? {} : { made: addProgress(made, more) };
}

function attemptOf(
  sender: SendContext,
  { sentAt, givenUpAt, base, notes, made: { createdAs, changes } }: StoredCommand,
): Attempt {
  const now = sender.now();
  const hasMade = createdAs !== undefined || changes.length > 0;
  return {
    startedAt: sentAt ?? now,
    ...(givenUpAt !== null && { endedAt: givenUpAt }),
    before: base,
    now,
    isCurrent: () => sender.keepLease(),
    ...(notes !== undefined && { notes }),
    ...(hasMade && { made: { ...(createdAs !== undefined && { createdAs }), changes } }),
  };
}

function latest(one: Date, other: Date | undefined): Date {
  return other !== undefined && other > one ? other : one;
}

/** The pause in milliseconds before the next attempt: short after the first attempts, then doubling up to the longest. */
function pause(times: number): number {
  return times <= 2 ? times * 50 : Math.min(LONGEST_PAUSE, SECOND * 2 ** Math.min(times - 3, 10));
}
