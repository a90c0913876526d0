import {
  assembleObject,
  groupBy,
  isJsonArray,
  isJsonObject,
  mappingOf,
  ownMember,
  platformNames,
  type JsonValue,
  type PlatformName,
} from '@app/mapper';
import type { CustomerTransaction } from '../database/transaction/store';
import { changedFields } from '../outbox/history/change-intent';
import type {
  OperatorDecision,
  OperatorDecisionsRepository,
} from '../outbox/operator/operator-decisions.repository';
import { shownDecision } from '../outbox/operator/shown-decision';
import {
  createsRecord,
  type CommandOutcome,
  type CommandStatus,
  type StoredCommand,
} from '../outbox/command/outbox-command';
import { commandOutcomes, commandsOf } from '../outbox/command/stored/stored-commands.repository';
import { progressReason } from '../outbox/command/partial/progress-reasons';
import { blockedCommands, type BlockedCommand } from '../outbox/command/stored/blocked-commands.repository';
import { loadObjects, storedBytes } from '../records/objects/stored-objects.repository';
import type { LoadedObject } from '../records/loaded-object';
import { versionOfObject } from './plan/context/known-version';
import { loadTerms } from '../records/terms/terms.repository';
import { readStoredOutcome, readStoredWarnings } from './stored-outcome';
import { referenceIds } from './plan/state/referred';
import { reportReferences, type ReportedTarget } from './plan/result/reference-report';
import type { PropagatedEntry, PropagateResult } from './propagate.response';
import type { ListedPropagation } from './propagations.response';
import type { StoredChange, PropagationsRepository } from '../outbox/history/propagations.repository';

type Status = PropagatedEntry['status'];

const statuses: Readonly<Record<CommandStatus, Status>> = {
  waiting: 'pending',
  sending: 'pending',
  uncertain: 'uncertain',
  applied: 'applied',
  unchanged: 'unchanged',
  rejected: 'rejected',
  skipped: 'skipped',
  held: 'held',
};

/** Statuses of a change that the platform has made or may still make. Only these have conversions and written fields. */
const counts: ReadonlySet<string> = new Set<Status>(['applied', 'pending', 'uncertain']);

/** A command of a change, why it waits, and the decisions of people about it. */
interface KnownCommand {
  readonly command: CommandOutcome;
  /** Undefined if the command is decided. */
  readonly waiting: BlockedCommand | undefined;
  readonly decisions: readonly OperatorDecision[];
}

/** The transaction in which an answer is read, and the repositories that it is read from. */
export interface ChangeReader {
  readonly tx: CustomerTransaction;
  readonly changes: PropagationsRepository;
  readonly decisions: OperatorDecisionsRepository;
}

/**
 * The stored bytes of the change's object and of the objects to which it refers. The other parts of the answer are
 * small. Zero if the customer has no such change.
 */
export async function storedBytesOf({ tx, changes }: ChangeReader, id: string): Promise<number> {
  const change = await changes.find(tx, id);
  return change === undefined ? 0 : storedBytes(tx, [change.canonicalId]);
}

/** The answer to a change with the outcomes as they are now; undefined when the customer has no such change. */
export async function storedResponse(
  { tx, changes, decisions }: ChangeReader,
  id: string,
): Promise<PropagateResult | undefined> {
  const change = await changes.find(tx, id);
  if (change === undefined) return undefined;
  const commands = await commandsOf(tx, id);
  const known = await knownCommands(
    tx,
    decisions,
    [id],
    commands.map((command) => ({ ...command, isCreation: command.base === undefined })),
  );
  const [object] = await loadObjects(tx, [change.canonicalId]);
  const { entityType, canonicalId } = change;
  const stored = object ?? { id: canonicalId, entityType, copies: [], extra: {} };
  const assembled = assembleObject(stored, await loadTerms(tx));
  const data = assembled.object;
  const referredObjects = await loadObjects(tx, referenceIds(entityType, data));
  const platforms = platformsOf(change);
  const entries = platforms.map((platform) => entryOf(change, stored, platform, known(id, platform)));
  const origin = ownMember(change.report, 'origin');
  const targets = platforms
    .filter((platform) => platform !== origin)
    .map((platform) => {
      const command = commands.find((one) => one.platform === platform);
      return targetOf(change, stored, platform, command);
    });
  const references = reportReferences(
    entityType,
    data,
    targets,
    new Map(referredObjects.map((one) => [one.id, one])),
  );
  const warnings = readStoredWarnings(change.report);
  return {
    canonical: {
      id: canonicalId,
      entity_type: entityType,
      updated_fields:
        change.before === undefined || object === undefined
          ? change.updatedFields
          : await changedFields(tx, entityType, data, change.before),
      data,
      version: versionOfObject(stored, assembled),
    },
    propagated: Object.fromEntries(platforms.map((platform, place) => [platform, entries[place]])),
    ...(warnings.length > 0 && { warnings }),
    ...(references && { references }),
    propagation_id: id,
    ...(change.reason !== null && { reason: change.reason }),
    ...(change.decidedBy !== null && { decided_by: change.decidedBy }),
  };
}

/** Changes as a list shows them, in the order of their IDs. */
export async function listedChanges(
  { tx, changes, decisions }: ChangeReader,
  ids: readonly string[],
): Promise<readonly ListedPropagation[]> {
  if (ids.length === 0) return [];
  const kept = new Map((await changes.list(tx, ids)).map((change) => [change.id, change]));
  const known = await knownCommands(tx, decisions, ids, await commandOutcomes(tx, ids));
  const canonicalIds = [...new Set([...kept.values()].map(({ canonicalId }) => canonicalId))];
  const objects = new Map((await loadObjects(tx, canonicalIds)).map((object) => [object.id, object]));
  return ids.flatMap((id): ListedPropagation[] => {
    const change = kept.get(id);
    if (change === undefined) return [];
    const { canonicalId, entityType, at, state, reason, decidedBy, requestId } = change;
    const copies = objects.get(canonicalId)?.copies ?? [];
    const entries = platformsOf(change).map(
      (platform) => [platform, entryOf(change, { copies }, platform, known(id, platform))] as const,
    );
    return [
      {
        propagation_id: id,
        canonical_id: canonicalId,
        entity_type: entityType,
        at,
        state,
        propagated: Object.fromEntries(entries),
        reason,
        decided_by: decidedBy,
        request_id: requestId,
      },
    ];
  });
}

function platformsOf({ outcome }: StoredChange): readonly PlatformName[] {
  return platformNames.filter((platform) => ownMember(outcome, platform) !== undefined);
}

/** Looks up what is known of the commands of some changes, by change and platform. */
async function knownCommands(
  tx: CustomerTransaction,
  decisions: OperatorDecisionsRepository,
  ids: readonly string[],
  commands: readonly CommandOutcome[],
): Promise<(id: string, platform: PlatformName) => KnownCommand | undefined> {
  if (commands.length === 0) return () => undefined;
  const waiting = new Map((await blockedCommands(tx, ids)).map((one) => [one.id, one]));
  const made = await decisions.about(
    tx,
    commands.map((command) => command.id),
  );
  const byCommand = groupBy(made, ({ commandId }) => commandId);
  const known = new Map(
    commands.map((command): [string, KnownCommand] => [
      `${command.propagationId} ${command.platform}`,
      { command, waiting: waiting.get(command.id), decisions: byCommand.get(command.id) ?? [] },
    ]),
  );
  return (id, platform) => known.get(`${id} ${platform}`);
}

function entryOf(
  { outcome }: StoredChange,
  { copies }: Pick<LoadedObject, 'copies'>,
  platform: PlatformName,
  known: KnownCommand | undefined,
): PropagatedEntry {
  const copy = copies.find((candidate) => candidate.platform === platform);
  const { conversion, conversions, left, created, ...own } = readStoredOutcome(ownMember(outcome, platform));
  const status = known === undefined ? own.status : statuses[known.command.status];
  const reasons = known === undefined ? [own.reason] : reasonsOf(known);
  const reason = reasons.filter((one) => typeof one === 'string').join('; ');
  return {
    ...(copy && { platform_id: copy.platformId }),
    status,
    ...((known === undefined ? created : createsRecord(known.command)) && { created: true as const }),
    ...(reason !== '' && { reason }),
    ...(left && { left }),
    ...(copy && { data: copy.known }),
    ...(counts.has(status) && conversion && { conversion }),
    ...(counts.has(status) && conversions && { conversions }),
    ...(known !== undefined &&
      known.decisions.length > 0 && { decisions: known.decisions.map(shownDecision) }),
  };
}

// The reason of a decided command already names its effects; see `close` in outbox/outcome/recorder.ts.
function reasonsOf({ command, waiting }: KnownCommand): readonly (string | null | undefined)[] {
  const isOpen = ['pending', 'uncertain'].includes(statuses[command.status]);
  return [command.reason, isOpen ? progressReason(command) : null, waiting?.reason];
}

function targetOf(
  { entityType, report }: StoredChange,
  { copies }: LoadedObject,
  platform: PlatformName,
  command: StoredCommand | undefined,
): ReportedTarget {
  const exists = copies.some((copy) => copy.platform === platform);
  if (command === undefined) {
    return { platform, exists, written: new Set(textsIn(ownMember(report, 'written'), platform)) };
  }
  const { variant, changes } = command;
  const isWritten = counts.has(statuses[command.status]);
  const paths = isWritten ? changes.map(({ path }) => path) : [];
  return { platform, exists, written: new Set(mappingOf(platform, entityType, { variant }).fieldsAt(paths)) };
}

function textsIn(lists: JsonValue | undefined, name: string): readonly string[] {
  const list = isJsonObject(lists) ? ownMember(lists, name) : undefined;
  return isJsonArray(list) ? list.map(String) : [];
}
