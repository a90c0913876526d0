import { randomUUID } from 'node:crypto';
import { ConcurrentWork } from '../../runtime/background/concurrent-work';
import {
  Inject,
  Injectable,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { DatabaseClock } from '../../runtime/clock/database-clock';
import { Connectors } from '../../platforms/registry';
import { CustomerDeleted } from '../../database/transaction/customer-deleted';
import { UnitOfWork } from '../../database/transaction/unit-of-work';
import { LOGGER, type Logger } from '../../runtime/logging/logger';
import { logOf } from '../../runtime/tracing/logged-work';
import { loadObjects } from '../../records/objects/stored-objects.repository';
import { changesComing, type StoredCommand } from '../command/outbox-command';
import { ClaimOwners } from './claim-owners';
import { OutcomeWaiter } from '../outcome/outcome-waiter';
import {
  claimCommands,
  customersInTurn,
  keepNotes,
  putBack,
  renewLease,
} from '../command/stored/commands.repository';
import { LEASE_MS, SEND_LIMIT_MS } from '../command/stored/commands.repository';
import { objectOf } from '../command/stored/stored-commands.repository';
import { nameOf, withAwaited } from '../command/pending/awaited-references';
import { recorderFor } from '../outcome/recorder';
import { recordOutcome, type FinalOutcome } from '../outcome/record-outcome';
import { sendCommand, type CommandOutcome } from './send-command';

/**
 * The most commands that one instance sends at a time, in total and of one customer. No command holds a database
 * connection while it is sent.
 */
const MOST_AT_ONCE = 64;
const MOST_OF_CUSTOMER = 4;

/** The most customers in one round. */
const CUSTOMERS = 100;

/** How long a stop waits for commands that are being sent. Another instance settles a command that is cut off. */
const STOP_PATIENCE_MS = 3_000;

/** The customer of claimed commands and the owner of their leases. */
interface CommandClaim {
  readonly customerId: string;
  readonly owner: string;
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
  private readonly stopping = new AbortController();
  private readonly sending = new ConcurrentWork(MOST_AT_ONCE, MOST_OF_CUSTOMER);
  private running: Promise<void> | undefined;
  /**
   * The customer that had the last turn. It starts with a random ID, so that instances do not all begin with the same
   * customer.
   */
  private lastTurn: string = randomUUID();
  private waker = (): void => undefined;
  private woken = false;

  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly connectors: Connectors,
    private readonly outcomes: OutcomeWaiter,
    private readonly clock: DatabaseClock,
    @Inject(OUTBOX_POLL_MS) private readonly pollMs: number,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  onApplicationBootstrap(): void {
    this.running = this.run();
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.stopping.abort();
    this.wake();
    await this.running;
    await Promise.race([this.sending.idle(), pause(STOP_PATIENCE_MS)]);
  }

  /** Starts a round now, because commands were accepted or a command has ended and the next one may be sent. */
  wake(): void {
    this.woken = true;
    this.waker();
  }

  private async run(): Promise<void> {
    while (!this.stopping.signal.aborted) {
      this.woken = false;
      const claimed = await this.round().catch((error: unknown) => {
        this.logger.warn({ err: error }, 'The outbox could not be read');
        return 0;
      });
      if (claimed === 0) await this.rest();
    }
  }

  /** Gives turns to customers with due commands, as capacity allows. */
  private async round(): Promise<number> {
    if (this.sending.room <= 0) return 0;
    const turns = { after: this.lastTurn, except: this.sending.fullKeys };
    const customers = await this.unitOfWork.run((store) => customersInTurn(store, turns, CUSTOMERS), {
      readOnly: true,
      deadlines: 'bulk',
    });
    let claimed = 0;
    for (const customerId of customers) {
      const room = this.sending.roomFor(customerId);
      if (this.stopping.signal.aborted || this.sending.room <= 0) return claimed;
      this.lastTurn = customerId;
      const owner = this.owners.next();
      const claim = { customerId, owner };
      const commands = await this.unitOfWork.runFor(
        // Reads the time for each claim, because a process that was suspended with its machine has missed the time in
        // between.
        customerId,
        async (tx) => claimCommands(tx, { owner, now: await this.clock.read(tx.store) }, room),
      );
      for (const command of commands) this.start(claim, command);
      claimed += commands.length;
    }
    return claimed;
  }

  private start(claim: CommandClaim, command: StoredCommand): void {
    this.sending.start(
      claim.customerId,
      () =>
        this.process(claim, command).catch((error: unknown) => {
          // The customer's commands were deleted too.
          if (error instanceof CustomerDeleted) return;
          this.logOf(claim, command).warn({ err: error }, 'A command is left for later');
        }),
      () => this.wake(),
    );
  }

  private async process(claim: CommandClaim, command: StoredCommand): Promise<void> {
    const { customerId, owner } = claim;
    const claimed = performance.now();
    const outcome = await this.outcomeOf(claim, command, () => performance.now() - claimed < SEND_LIMIT_MS);
    switch (outcome.status) {
      case 'lost':
        return;
      case 'put_back':
        await this.unitOfWork.runFor(customerId, (tx) => putBack(tx, command.id, owner, outcome));
        return;
      default:
        await this.record(claim, command, outcome);
    }
  }

  private async record(claim: CommandClaim, command: StoredCommand, outcome: FinalOutcome): Promise<void> {
    const { customerId, owner } = claim;
    const { connectors } = this;
    const isRecorded = await this.unitOfWork.runFor(
      customerId,
      (tx) => recordOutcome(recorderFor(tx, connectors, command.id), command.id, owner, outcome),
      { lockWaitMs: LEASE_MS / 2 },
    );
    this.outcomes.notify(command.propagationId);
    if (isRecorded) this.logOutcome(claim, command, outcome.status);
  }

  // The platform's message may quote written values. It is kept in the history and not in the log.
  private logOutcome(claim: CommandClaim, command: StoredCommand, outcome: FinalOutcome['status']): void {
    const { entityType, propagationId } = command;
    const level = outcome === 'applied' ? 'info' : 'warn';
    this.logOf(claim, command)[level](
      { context: 'Outbox', entity_type: entityType, propagation_id: propagationId, outcome },
      'write decided',
    );
  }

  private logOf({ customerId }: CommandClaim, { id, platform, cause }: StoredCommand): Logger {
    return logOf(this.logger, { customerId, platform, commandId: id, cause });
  }

  private async outcomeOf(
    claim: CommandClaim,
    claimed: StoredCommand,
    inTime: () => boolean,
  ): Promise<CommandOutcome> {
    const { customerId, owner } = claim;
    let command = claimed;
    // The command that creates the record is decided, because otherwise this one could not be claimed. It has not set
    // the record's ID, so the creation failed.
    if (changesComing(command)) {
      return {
        status: 'skipped',
        reason: `${nameOf(command)} was not created on ${command.platform} as planned`,
      };
    }
    if (command.waitsFor.length > 0) {
      const { connectors } = this;
      const readiness = await this.unitOfWork.runFor(
        customerId,
        (tx) => withAwaited(recorderFor(tx, connectors, claimed.id), claimed, owner),
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
    return this.send(claim, command, inTime);
  }

  private async send(
    claim: CommandClaim,
    command: StoredCommand,
    inTime: () => boolean,
  ): Promise<CommandOutcome> {
    const { customerId, owner } = claim;
    const logger = this.logOf(claim, command);
    const { platform, mode } = command;
    const connector = this.connectors.connectorFor({ customerId, platform, mode });
    const renewal = setInterval(() => {
      this.unitOfWork
        .runFor(customerId, (tx) => renewLease(tx, command.id, owner))
        .catch((error: unknown) => logger.warn({ err: error }, 'A lease could not be renewed'));
    }, LEASE_MS / 3);
    try {
      const signal = AbortSignal.any([this.stopping.signal, AbortSignal.timeout(SEND_LIMIT_MS)]);
      return await sendCommand(
        {
          connector,
          customerId,
          signal,
          inTime,
          now: () => this.clock.now(),
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

  private async rest(): Promise<void> {
    if (this.woken || this.stopping.signal.aborted) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, this.pollMs);
      timer.unref();
      this.waker = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.waker = () => undefined;
  }
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds).unref());
}
