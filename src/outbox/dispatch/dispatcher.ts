import { randomUUID } from 'node:crypto';
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
import { loadObjects } from '../../records/stored-objects';
import { changesComing, type StoredCommand } from '../command/outbox-command';
import { ClaimOwners } from './claim-owners';
import { OutcomeWaiter } from '../outcome/outcome-waiter';
import {
  claimCommands,
  customersInTurn,
  keepNotes,
  LEASE_MS,
  putBack,
  renewLease,
  SEND_LIMIT_MS,
} from './claims.repository';
import { objectOf } from '../command/stored-commands.repository';
import { nameOf, withAwaited } from '../command/awaited-references';
import { recorderFor } from '../outcome/recorder';
import { recordOutcome, type FinalOutcome } from '../outcome/record-outcome';
import { sendCommand, type CommandOutcome } from './send-command';

/** Commands that one instance sends at a time, and those of one customer among them. None holds a connection meanwhile. */
const MOST_AT_ONCE = 64;
const MOST_OF_CUSTOMER = 4;

/** Customers that have their turn in one round. */
const CUSTOMERS = 100;

/** How long a stop waits for what is being sent. What is cut off is settled by whoever comes next. */
const STOP_PATIENCE_MS = 3_000;

/** Whose commands were claimed, and the owner of their leases. */
interface CommandClaim {
  readonly customerId: string;
  readonly owner: string;
}

/** Milliseconds between two looks for commands that nobody has announced. */
export const OUTBOX_POLL_MS = Symbol('OUTBOX_POLL_MS');

/**
 * Sends the commands of the outbox, on each instance. A command is claimed for a time, sent outside of any transaction,
 * and its outcome recorded in a short one of its own. Whatever a crash leaves, somebody claims again: a command that may
 * have been sent is looked for first.
 */
@Injectable()
export class Dispatcher implements OnApplicationBootstrap, BeforeApplicationShutdown {
  readonly owners = new ClaimOwners();
  private readonly stopping = new AbortController();
  private readonly sending = new Map<Promise<void>, string>();
  private running: Promise<void> | undefined;
  /** The customer that had the last turn; at the start any, so that instances do not all begin with the same. */
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
    await Promise.race([Promise.allSettled(this.sending.keys()), pause(STOP_PATIENCE_MS)]);
  }

  /** Looks for commands now: some were just accepted, or one is done and the next may go. */
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

  /** Gives customers with something to send their turns, as far as there is room. */
  private async round(): Promise<number> {
    if (this.sending.size >= MOST_AT_ONCE) return 0;
    const turns = { after: this.lastTurn, except: this.customersWithoutRoom() };
    const customers = await this.unitOfWork.run((store) => customersInTurn(store, turns, CUSTOMERS), {
      readOnly: true,
      patience: 'bulk',
    });
    let claimed = 0;
    for (const customerId of customers) {
      const room = Math.min(MOST_OF_CUSTOMER - this.sendingOf(customerId), MOST_AT_ONCE - this.sending.size);
      if (this.stopping.signal.aborted || this.sending.size >= MOST_AT_ONCE) return claimed;
      this.lastTurn = customerId;
      const owner = this.owners.next();
      const claim = { customerId, owner };
      const commands = await this.unitOfWork.run(
        // Asked anew each time: a process that was stopped with its machine has missed the time in between.
        async (store) => claimCommands(store, customerId, { owner, now: await this.clock.read(store) }, room),
        { customerId },
      );
      for (const command of commands) this.start(claim, command);
      claimed += commands.length;
    }
    return claimed;
  }

  private sendingOf(customerId: string): number {
    return [...this.sending.values()].filter((other) => other === customerId).length;
  }

  private customersWithoutRoom(): readonly string[] {
    return [...new Set(this.sending.values())].filter((one) => this.sendingOf(one) >= MOST_OF_CUSTOMER);
  }

  private start(claim: CommandClaim, command: StoredCommand): void {
    const work = this.process(claim, command)
      .catch((error: unknown) => {
        // Its commands went with it.
        if (error instanceof CustomerDeleted) return;
        this.logOf(claim, command).warn({ err: error }, 'A command is left for later');
      })
      .finally(() => {
        this.sending.delete(work);
        this.wake();
      });
    this.sending.set(work, claim.customerId);
  }

  private async process(claim: CommandClaim, command: StoredCommand): Promise<void> {
    const { customerId, owner } = claim;
    const claimed = performance.now();
    const outcome = await this.outcomeOf(claim, command, () => performance.now() - claimed < SEND_LIMIT_MS);
    switch (outcome.status) {
      case 'lost':
        return;
      case 'put_back':
        await this.unitOfWork.run((store) => putBack(store, customerId, command.id, owner, outcome), {
          customerId,
        });
        return;
      default:
        await this.record(claim, command, outcome);
    }
  }

  private async record(claim: CommandClaim, command: StoredCommand, outcome: FinalOutcome): Promise<void> {
    const { customerId, owner } = claim;
    const { connectors } = this;
    const isRecorded = await this.unitOfWork.run(
      (store) =>
        recordOutcome(recorderFor(store, customerId, connectors, command.id), command.id, owner, outcome),
      { customerId, lockPatienceMs: LEASE_MS / 2 },
    );
    this.outcomes.notify(command.propagationId);
    if (isRecorded) this.logOutcome(claim, command, outcome.status);
  }

  // The platform's words may quote what was written: they are in the history, and not in the log.
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
    // Its creation is decided, or it would not have been claimed, and has not told it which record it is for.
    if (changesComing(command)) {
      return {
        status: 'skipped',
        reason: `${nameOf(command)} was not created on ${command.platform} as planned`,
      };
    }
    if (command.waitsFor.length > 0) {
      const { connectors } = this;
      const readiness = await this.unitOfWork.run(
        (store) => withAwaited(recorderFor(store, customerId, connectors, claimed.id), claimed, owner),
        { customerId, lockPatienceMs: LEASE_MS / 2 },
      );
      if (readiness.status !== 'ready') return readiness;
      ({ command } = readiness);
    }
    // One that was sent already is looked for; only a new one could make a second record.
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
        .run((store) => renewLease(store, customerId, command.id, owner), { customerId })
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
            this.unitOfWork.run((store) => keepNotes(store, customerId, command.id, owner, notes), {
              customerId,
            }),
          failed: (error) => logger.warn({ err: error }, 'A connector failed; the command comes again'),
        },
        command,
      );
    } finally {
      clearInterval(renewal);
    }
  }

  // Two objects may have become one since the command was accepted.
  private alreadyExists(customerId: string, command: StoredCommand): Promise<boolean> {
    return this.unitOfWork.run(
      async (store) => {
        const id = await objectOf(store, customerId, command.id);
        const [object] = id === undefined ? [] : await loadObjects(store, customerId, [id]);
        return object?.copies.some(({ platform }) => platform === command.platform) ?? false;
      },
      { customerId },
    );
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
