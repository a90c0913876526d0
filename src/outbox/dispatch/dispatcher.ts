import { randomUUID } from 'node:crypto';
import type { Found } from '../../runtime/background/work';
import type { Worker } from '../../runtime/background/worker';
import { Workers } from '../../runtime/background/workers';
import {
  Inject,
  Injectable,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { DatabaseClock } from '../../runtime/clock/database-clock';
import { withinDeadline } from '../../runtime/clock/deadline';
import { Connectors } from '../../platforms/connectors';
import { UnitOfWork } from '../../database/transaction/unit-of-work';
import { LOGGER, type Logger } from '../../runtime/logging/logger';
import { logOf, type LoggedWork } from '../../runtime/tracing/logged-work';
import { Spans } from '../../runtime/tracing/spans';
import type { TraceContext } from '../../runtime/tracing/trace-context';
import { loadObjects } from '../../records/objects/stored-objects.repository';
import { changesComing, type StoredCommand } from '../command/outbox-command';
import { ClaimOwners } from './claim-owners';
import type { AttemptOutcome } from '../outcome/attempt-outcome';
import { OutcomeWaiter } from '../outcome/outcome-waiter';
import {
  claimCommands,
  customersInTurn,
  keepNotes,
  putBack,
  renewLease,
  LEASE_MS,
  SEND_LIMIT_MS,
} from '../command/stored/commands.repository';
import { objectOf } from '../command/stored/stored-commands.repository';
import { nameOf, withAwaited } from '../outcome/pending/awaited-references';
import { Recorders } from '../outcome/recorder';
import { recordOutcome, type FinalOutcome } from '../outcome/record-outcome';
import { commandSpan, noteAttempt } from './command-span';
import { sendCommand } from './send-command';

/**
 * The most commands that one instance sends at a time, in total and of one customer. No command holds a database
 * connection while it is sent. Each may hold a connection to the platform: `MOST_CONNECTIONS` of
 * `src/platforms/live/transport/http-exchanges.ts` is more than these and the runs together.
 */
const MOST_AT_ONCE = 128;
const MOST_OF_CUSTOMER = 4;

/**
 * Of these, the commands that are kept for customers with no other command under way. Otherwise sixteen customers whose platform
 * hangs would take all places for as long as an attempt takes.
 */
const KEPT_FOR_OTHERS = 64;

/** The most customers that one round serves. */
const CUSTOMERS_PER_ROUND = 100;

/** Milliseconds that a stop waits for commands that are being sent. Another instance settles a command that is cut off. */
const STOP_TIMEOUT_MS = 3_000;

interface DueCustomer {
  readonly customerId: string;
}

/** A claimed command, its customer and the owner of its lease. */
interface ClaimedCommand extends DueCustomer {
  readonly owner: string;
  readonly command: StoredCommand;
  /** When the attempt began, by `performance.now()`: not after the stored time, with which its end is reckoned after a crash. */
  readonly begun: number;
  /** The span of this attempt; absent while no spans are recorded. */
  readonly trace?: TraceContext | undefined;
}

/** Milliseconds between two polls for commands of which this instance was not notified. */
export const OUTBOX_POLL_MS = Symbol('OUTBOX_POLL_MS');

/**
 * Sends the commands of the outbox, on each instance. The dispatcher claims a command for a limited time, sends it
 * outside of any transaction, and records its outcome in a short transaction. After a crash another instance claims
 * the command and checks first whether it was sent.
 */
@Injectable()
export class Dispatcher implements OnApplicationBootstrap, BeforeApplicationShutdown {
  readonly owners = new ClaimOwners();
  private readonly worker: Worker<DueCustomer, ClaimedCommand>;
  /**
   * The customer that had the last turn. It starts with a random ID, so that instances do not all begin with the same
   * customer.
   */
  private lastTurn: string = randomUUID();

  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly connectors: Connectors,
    private readonly recorders: Recorders,
    private readonly outcomes: OutcomeWaiter,
    private readonly clock: DatabaseClock,
    private readonly spans: Spans,
    workers: Workers,
    @Inject(OUTBOX_POLL_MS) private readonly pollMs: number,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.worker = workers.of<DueCustomer, ClaimedCommand>({
      name: 'outbox',
      interval: () => this.pollMs,
      mostAtOnce: MOST_AT_ONCE,
      mostOfCustomer: MOST_OF_CUSTOMER,
      mostOfClaim: MOST_OF_CUSTOMER,
      keptForOthers: KEPT_FOR_OTHERS,
      stopTimeout: STOP_TIMEOUT_MS,
      failure: { poll: 'The outbox could not be read', item: 'A command is left for later' },
      find: (full) => this.customersInTurn(full),
      claim: (due, room) => this.claim(due, room),
      run: (claimed, stop) => this.process(claimed, stop),
      describe: (item) => ('command' in item ? describe(item) : item),
    });
  }

  onApplicationBootstrap(): void {
    this.worker.start();
  }

  /** Later than other workers, because requests in progress wait for their commands. */
  beforeApplicationShutdown(): Promise<void> {
    return this.worker.stop();
  }

  /** Starts a round now, because commands were accepted or a command has ended and the next one may be sent. */
  wake(): void {
    this.worker.wake();
  }

  private async customersInTurn(except: readonly string[]): Promise<Found<DueCustomer>> {
    const turns = { after: this.lastTurn, except };
    const customers = await this.unitOfWork.run(
      (store) => customersInTurn(store, turns, CUSTOMERS_PER_ROUND),
      {
        readOnly: true,
        deadlines: 'bulk',
      },
    );
    return { due: customers.map((customerId) => ({ customerId })) };
  }

  private async claim({ customerId }: DueCustomer, room: number): Promise<readonly ClaimedCommand[]> {
    this.lastTurn = customerId;
    const owner = this.owners.next();
    // Reads the time for each claim, because a process that was suspended with its machine has missed the time in between.
    return this.unitOfWork.runFor(customerId, async (tx) => {
      const begun = performance.now();
      const commands = await claimCommands(tx, { owner, now: await this.clock.read(tx.store) }, room);
      return commands.map((command) => ({ customerId, owner, command, begun }));
    });
  }

  private process(claimed: ClaimedCommand, stop: AbortSignal): Promise<void> {
    const { command } = claimed;
    return this.spans.around(commandSpan(describe(claimed), command), command.cause?.trace, async (span) => {
      noteAttempt(span, await this.attempt({ ...claimed, trace: span.trace }, stop));
    });
  }

  private async attempt(claimed: ClaimedCommand, stop: AbortSignal): Promise<AttemptOutcome> {
    const { customerId, owner, command, begun } = claimed;
    const left = (): number => SEND_LIMIT_MS - (performance.now() - begun);
    const outcome = await withinDeadline(Math.max(1, left()), [stop], (signal) =>
      this.outcomeOf(claimed, { signal, inTime: () => left() > 0 }),
    );
    switch (outcome.status) {
      case 'lost':
        break;
      case 'put_back':
        await this.unitOfWork.runFor(customerId, (tx) => putBack(tx, command.id, owner, outcome));
        break;
      default:
        await this.record(claimed, outcome);
    }
    return outcome;
  }

  private async record(claimed: ClaimedCommand, outcome: FinalOutcome): Promise<void> {
    const { customerId, owner, command } = claimed;
    const isRecorded = await this.unitOfWork.runFor(
      customerId,
      (tx) => recordOutcome(this.recorders.of(tx, command.id), command.id, owner, outcome),
      { lockWaitMs: LEASE_MS / 2 },
    );
    this.outcomes.notify(command.propagationId);
    if (isRecorded) this.logOutcome(claimed, outcome.status);
  }

  // The platform's message may quote written values. It is kept in the history and not in the log.
  private logOutcome(claimed: ClaimedCommand, outcome: FinalOutcome['status']): void {
    const { entityType, propagationId } = claimed.command;
    const level = outcome === 'applied' ? 'info' : 'warn';
    logOf(this.logger, describe(claimed))[level](
      { context: 'Outbox', entity_type: entityType, propagation_id: propagationId, outcome },
      'write decided',
    );
  }

  private async outcomeOf(claimed: ClaimedCommand, attempt: SendAttempt): Promise<AttemptOutcome> {
    const { customerId, owner } = claimed;
    let { command } = claimed;
    // The command that creates the record is decided, because otherwise this one could not be claimed. It has not set
    // the record's ID, so the creation failed.
    if (changesComing(command)) {
      return {
        status: 'skipped',
        reason: `${nameOf(command)} was not created on ${command.platform} as planned`,
      };
    }
    if (command.waitsFor.length > 0) {
      const readiness = await this.unitOfWork.runFor(
        customerId,
        (tx) => withAwaited(this.recorders.of(tx, command.id), claimed.command, owner),
        { lockWaitMs: LEASE_MS / 2 },
      );
      if (readiness.status !== 'ready') return readiness;
      ({ command } = readiness);
    }
    // Only a new command could create a duplicate. A command that was sent before is settled.
    const creates = command.platformId === null && command.status !== 'uncertain';
    if (creates && (await this.alreadyExists(customerId, command))) {
      return { status: 'held', reason: `${command.platform} has a record of it already` };
    }
    return this.send({ ...claimed, command }, attempt);
  }

  private async send(claimed: ClaimedCommand, { signal, inTime }: SendAttempt): Promise<AttemptOutcome> {
    const { customerId, owner, command, trace } = claimed;
    const logger = logOf(this.logger, describe(claimed));
    const { platform, mode } = command;
    const connector = this.connectors.connectorFor({ customerId, platform, mode });
    const keepLease = (): Promise<boolean> =>
      this.unitOfWork.runFor(customerId, (tx) => renewLease(tx, command.id, owner));
    const renewal = setInterval(() => {
      keepLease().catch((error: unknown) => logger.warn({ err: error }, 'A lease could not be renewed'));
    }, LEASE_MS / 3);
    try {
      return await sendCommand(
        {
          connector,
          customerId,
          trace,
          signal,
          inTime,
          now: () => this.clock.now(),
          keepLease,
          keepNotes: (notes) =>
            this.unitOfWork.runFor(customerId, (tx) => keepNotes(tx, command.id, owner, notes)),
          failed: (error) => logger.warn({ err: error }, 'A connector failed; the command comes again'),
        },
        command,
      );
    } finally {
      clearInterval(renewal);
    }
  }

  // Two objects may have been merged since the command was accepted.
  private alreadyExists(customerId: string, command: StoredCommand): Promise<boolean> {
    return this.unitOfWork.runFor(customerId, async (tx) => {
      const id = await objectOf(tx, command.id);
      const [object] = id === undefined ? [] : await loadObjects(tx, [id]);
      return object?.copies.some(({ platform }) => platform === command.platform) ?? false;
    });
  }
}

/** What ends an attempt, and whether its lease leaves enough time to send. */
interface SendAttempt {
  readonly signal: AbortSignal;
  readonly inTime: () => boolean;
}

function describe({ customerId, command: { id, platform, cause }, trace }: ClaimedCommand): LoggedWork {
  return { customerId, platform, commandId: id, cause, trace };
}
