import { randomUUID } from 'node:crypto';
import { groupBy, mappingOf, type JsonObject, type PlatformName } from '@app/mapper';
import type { WriteOutcome } from '../../platforms/connector';
import type { Connectors } from '../../platforms/connectors';
import type { CustomerTransaction } from '../../database/transaction/store';
import { writeCommandOf, type OutboxCommand } from '../../outbox/command/outbox-command';
import type { PlatformRecordsRepository } from '../../records/platform-records/platform-records.repository';
import { modeOf, type ChangeContext } from '../plan/context/change-context';
import type { ChangePlan } from '../plan/change-plan';
import type { StepOutcome, StepResult } from '../plan/result/change-result';
import { reasonOf } from '../plan/steps/left-field';
import type { PlannedWrite, PlatformStep } from '../plan/steps/platform-step';

/** The results of a plan that are known within the transaction. */
export interface PlanResult {
  readonly results: readonly StepResult[];
  /** Commands for the outbox: commands to send, and held commands. */
  readonly commands: readonly OutboxCommand[];
}

/** The collaborators of {@link executePlan}. */
export interface PlanExecution {
  readonly connectors: Connectors;
  readonly records: PlatformRecordsRepository;
}

type WriteStep = PlatformStep & { readonly kind: 'write' };

/**
 * Executes a plan step by step. A platform whose records are rows of this database applies its write in this
 * transaction, unless another write goes before it. Every other write becomes a command of the outbox. If the leading
 * platform rejects the change, the others do not get it.
 */
export async function executePlan(
  tx: CustomerTransaction,
  context: ChangeContext,
  { steps }: ChangePlan,
  propagationId: string,
  { connectors, records }: PlanExecution,
): Promise<PlanResult> {
  const results: StepResult[] = [];
  const commands: OutboxCommand[] = [];
  // A platform that the change leaves out decides nothing.
  const first = steps.findIndex(({ kind }) => kind !== 'skipped');
  const writes = steps.map((step, position) =>
    step.kind === 'write'
      ? commandFor(context, step, propagationId, { position, leading: position === first })
      : undefined,
  );
  const local = await lockLocal(tx, writes, connectors);
  const outcomeOf = async (step: WriteStep, command: OutboxCommand): Promise<StepOutcome> => {
    const refusing = refusalOf(results[first]);
    if (refusing !== undefined) {
      return { status: 'skipped', reason: `${refusing} did not take the change` };
    }
    const write = local.writes.get(step.platform);
    if (write === undefined || !isFree(context, command, commands)) {
      commands.push(command);
      return { status: 'pending' };
    }
    const outcome = write();
    if (outcome.status === 'rejected') return outcome;
    if (outcome.status !== 'applied') throw new Error(`${step.platform} did not decide at once`);
    const problem = await problemOfCreation(tx, records, context, step, outcome.payload);
    if (problem === undefined) return outcome;
    commands.push({ ...command, status: 'held', reason: problem });
    return { status: 'held', reason: problem };
  };
  for (const [position, step] of steps.entries()) {
    const command = writes[position];
    const isWrite = step.kind === 'write' && command !== undefined;
    results.push({ step, outcome: isWrite ? await outcomeOf(step, command) : undefined });
  }
  local.save();
  return { results, commands };
}

/** Local writes whose records are locked. */
interface LockedLocalWrites {
  /** Applies the write to a platform. */
  readonly writes: ReadonlyMap<PlatformName, () => WriteOutcome>;
  /** Stores the applied writes, with the commit at the latest. */
  save(): void;
}

/** Locks the records of local writes. */
async function lockLocal(
  tx: CustomerTransaction,
  writes: readonly (OutboxCommand | undefined)[],
  connectors: Connectors,
): Promise<LockedLocalWrites> {
  const { customerId } = tx;
  const found = writes.flatMap((command) => {
    if (command === undefined) return [];
    const { platform, mode } = command;
    const { local } = connectors.connectorFor({ customerId, platform, mode });
    return local === undefined ? [] : [{ local, write: writeCommandOf(customerId, command) }];
  });
  const locked = await Promise.all(
    [...groupBy(found, ({ local }) => local)].map(async ([local, group]) => {
      const commands = group.map(({ write }) => write);
      return { commands, records: await local.lock(tx.store, commands) };
    }),
  );
  return {
    writes: new Map(
      locked.flatMap(({ commands, records }) =>
        commands.map((command) => [command.platform, () => records.apply(command)] as const),
      ),
    ),
    save: () => {
      for (const { records } of locked) records.save();
    },
  };
}

function refusalOf(leading: StepResult | undefined): string | undefined {
  if (leading === undefined) return undefined;
  const refused = leading.step.kind === 'rejected' || leading.outcome?.status === 'rejected';
  return refused ? leading.step.platform : undefined;
}

/** Whether nothing goes before a write: no creation, no write of the same change, and no earlier change of the record. */
function isFree(
  { earlier }: ChangeContext,
  { platform, waitsFor }: OutboxCommand,
  commands: readonly OutboxCommand[],
): boolean {
  return (
    waitsFor.length === 0 &&
    commands.every(({ status }) => status !== 'waiting') &&
    !earlier.some((command) => command.platform === platform && !command.held)
  );
}

function commandFor(
  context: ChangeContext,
  { platform, write, predicted, left }: WriteStep,
  propagationId: string,
  { position, leading }: { readonly position: number; readonly leading: boolean },
): OutboxCommand {
  const { entityType, object, copies, coming } = context;
  const present = [...copies, ...coming].find((state) => state.platform === platform)?.copy;
  const awaited = Object.entries(write.awaits);
  return {
    id: randomUUID(),
    propagationId,
    position,
    platform,
    mode: modeOf(context, platform),
    entityType,
    canonicalId: object.id,
    platformId: write.platformId,
    variant: write.variant,
    status: 'waiting',
    reason: reasonOf(left) ?? null,
    changes: write.changes,
    base: write.base,
    referred: write.referred,
    predicted,
    recording: {
      references: write.references,
      before: Object.fromEntries(
        Object.keys(write.references).map((field) => [field, present?.references[field] ?? null]),
      ),
      currencies: write.currencies,
      leading,
      ...(awaited.length > 0 && {
        awaits: Object.fromEntries(awaited.map(([field, { canonicalId }]) => [field, canonicalId])),
      }),
    },
    waitsFor: [...new Set(awaited.map(([, { commandId }]) => commandId))],
  };
}

/** Why a created record cannot be stored: without a unique ID it would overwrite another record. */
async function problemOfCreation(
  tx: CustomerTransaction,
  records: PlatformRecordsRepository,
  { entityType }: ChangeContext,
  { platform, write }: { readonly platform: PlatformStep['platform']; readonly write: PlannedWrite },
  payload: JsonObject,
): Promise<string | undefined> {
  if (write.platformId !== null) return undefined;
  const { nativeId } = mappingOf(platform, entityType, { variant: write.variant }).readOnce(
    payload,
    write.currencies,
  );
  if (!nativeId) return `${platform} did not say under which ID it created the record`;
  const owner = await records.findOwner(tx, platform, entityType, nativeId);
  return owner === undefined ? undefined : `${platform} created it under an ID that is in use`;
}
