import { randomUUID } from 'node:crypto';
import { mappingOf, type JsonObject, type PlatformName } from '@app/mapper';
import type { LocalWrites, WriteCommand, WriteOutcome } from '../../platforms/connector';
import type { Connectors } from '../../platforms/registry';
import type { CustomerTransaction } from '../../database/transaction/store';
import { writeCommandOf, type OutboxCommand } from '../../outbox/command/outbox-command';
import type { PlatformRecordsRepository } from '../../records/platform-records/platform-records.repository';
import { modeOf, type ChangeContext } from '../plan/context/change-context';
import type { ChangePlan } from '../plan/change-plan';
import type { StepResult } from '../plan/result/change-result';
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
  for (const [position, step] of steps.entries()) {
    const command = writes[position];
    const rejected = refusalOf(results[first]);
    if (step.kind !== 'write' || command === undefined) {
      results.push({ step, outcome: undefined });
    } else if (rejected !== undefined) {
      results.push({ step, outcome: { status: 'skipped', reason: `${rejected} did not take the change` } });
    } else {
      const write = local.writes.get(step.platform);
      const isFree =
        command.waitsFor.length === 0 &&
        commands.every(({ status }) => status !== 'waiting') &&
        isNext(context, step);
      if (write === undefined || !isFree) {
        commands.push(command);
        results.push({ step, outcome: { status: 'pending' } });
        continue;
      }
      const outcome = write();
      if (outcome.status === 'rejected') results.push({ step, outcome });
      else if (outcome.status !== 'applied') throw new Error(`${step.platform} did not decide at once`);
      else {
        const problem = await problemOfCreation(tx, records, context, step, outcome.payload);
        results.push({
          step,
          outcome: problem === undefined ? outcome : { status: 'held', reason: problem },
        });
        if (problem !== undefined) commands.push({ ...command, status: 'held', reason: problem });
      }
    }
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
  const groups = new Map<LocalWrites, WriteCommand[]>();
  for (const command of writes) {
    if (command === undefined) continue;
    const { local } = connectors.connectorFor({
      customerId: tx.customerId,
      platform: command.platform,
      mode: command.mode,
    });
    if (local === undefined) continue;
    const write = writeCommandOf(tx.customerId, command);
    const group = groups.get(local);
    if (group === undefined) groups.set(local, [write]);
    else group.push(write);
  }
  const locked = await Promise.all(
    [...groups].map(async ([local, commands]) => ({
      commands,
      records: await local.lock(tx.store, commands),
    })),
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

// The outbox sends changes of one record in the order of their acceptance.
function isNext({ earlier }: ChangeContext, { platform }: PlatformStep): boolean {
  return !earlier.some((command) => command.platform === platform && !command.held);
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
