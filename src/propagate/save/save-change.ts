import { ownMember, sameJson, type JsonObject, type JsonValue } from '@app/mapper';
import type { CustomerTransaction } from '../../database/transaction/store';
import type { NewPropagation, PropagationsRepository } from '../../outbox/history/propagations.repository';
import type { CanonicalObjectsRepository } from '../../records/objects/canonical-objects.repository';
import { insertCommands } from '../../outbox/command/stored/commands.repository';
import { saveOwnRecords } from '../../records/platform-records/platform-records.repository';
import { changeStateOf } from '../../outbox/history/change-state';
import { propagationEvent } from '../../outbox/history/propagation-events';
import { noteEvents } from '../../records/events/events.repository';
import { recordChange } from '../../records/changes/changes.repository';
import type { RequestContext } from '../../runtime/tracing/request-context';
import type { ChangeReason } from '../plan/intent/change';
import type { ChangeContext } from '../plan/context/change-context';
import { storedOutcomeOf, writtenFields, type ChangeResult } from '../plan/result/change-result';
import type { ChangeWarning } from '../plan/rules/broken-rule';
import type { PlanResult } from './execute-plan';

/** The facts about a change that are stored with its rows and that are not part of its result. */
export interface SavedUnder {
  readonly propagationId: string;
  readonly request: RequestContext;
  /** Canonical fields that the change names. */
  readonly touched: readonly string[];
  readonly warnings: readonly ChangeWarning[];
  readonly why: ChangeReason;
}

/** The transaction of a change, and the repositories that store it. */
export interface ChangeStore {
  readonly tx: CustomerTransaction;
  readonly history: PropagationsRepository;
  readonly objects: CanonicalObjectsRepository;
}

/**
 * Stores the complete result of a change: records, the values stored beside them, history and outgoing commands. The
 * writes share one round trip with the commit.
 */
export function saveChange(
  { tx, history, objects }: ChangeStore,
  context: ChangeContext,
  result: ChangeResult,
  { commands }: PlanResult,
  saved: SavedUnder,
): void {
  const { entityType, object, at, comparisonsAreDue } = context;
  const { after, outcomes, changed } = result;
  const { request, why } = saved;
  const { requestId } = request;
  const cause = { id: saved.propagationId, at };
  recordChange(tx, cause, { origin: 'propagation', requestId, comparisonsAreDue });
  // The object's lock protects its own records. The ID of a new record was checked before.
  saveOwnRecords(tx, object, changed, cause);
  const hasOtherExtra = !sameJson(after.extra, object.extra);
  if (hasOtherExtra) objects.saveExtra(tx, object.id, after.extra, cause);
  const propagation = propagationOf(context, result, commands, saved);
  const { id, canonicalId, outcome, decidedAt } = propagation;
  history.insert(tx, propagation);
  insertCommands(tx, commands, { request, at });
  const state = changeStateOf(outcomes.map(({ status }) => status));
  const change = { id, canonicalId, entityType, requestId, outcome, state };
  const told = { ...change, reason: why.reason ?? null, decidedBy: why.decidedBy ?? null };
  noteEvents(tx, cause, [
    ...(changed.length > 0 || hasOtherExtra
      ? [{ type: 'object.changed', entityType, canonicalId, data: {} } as const]
      : []),
    ...(state === 'held' ? [propagationEvent('propagation.held', told)] : []),
    ...(decidedAt !== undefined && state !== 'held' ? [propagationEvent('propagation.settled', told)] : []),
  ]);
}

/** The change as the history keeps it. */
function propagationOf(
  context: ChangeContext,
  { after, outcomes, updatedFields }: ChangeResult,
  commands: PlanResult['commands'],
  { propagationId, request, touched, warnings, why }: SavedUnder,
): NewPropagation {
  const { entityType, object, canonical, origin, at } = context;
  const outcome = Object.fromEntries(
    outcomes.map((one) => {
      const present = object.copies.find(({ platform }) => platform === one.platform);
      return [one.platform, storedOutcomeOf(context, one, present)];
    }),
  );
  return {
    id: propagationId,
    canonicalId: object.id,
    entityType,
    requestId: request.requestId,
    at,
    reason: why.reason,
    decidedBy: why.decidedBy,
    updatedFields,
    outcome,
    decidedAt: commands.some(({ status }) => status === 'waiting') ? undefined : at,
    intent:
      commands.length === 0
        ? undefined
        : {
            extra: differences(object.extra, after.extra),
            before: Object.fromEntries(
              [...new Set(touched)].map((field) => [field, ownMember(canonical, field) ?? null]),
            ),
          },
    report: {
      origin: origin?.platform ?? null,
      ...(warnings.length > 0 && { warnings: warnings.map(asJson) }),
      written: Object.fromEntries(
        outcomes
          .filter(({ written }) => written.length > 0)
          .map((outcome) => [outcome.platform, writtenFields(entityType, outcome)]),
      ),
    },
  };
}

function asJson({ amount, limit, ...warning }: ChangeWarning): JsonObject {
  return { ...warning, ...(amount && { amount: { ...amount } }), ...(limit && { limit: { ...limit } }) };
}

function differences(before: JsonObject, after: JsonObject): { before: JsonObject; after: JsonObject } {
  const fields = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
    (field) => !sameJson(ownMember(before, field), ownMember(after, field)),
  );
  const only = (object: JsonObject): JsonObject =>
    Object.fromEntries(
      fields.flatMap((field): [string, JsonValue][] => {
        const value = ownMember(object, field);
        return value === undefined ? [] : [[field, value]];
      }),
    );
  return { before: only(before), after: only(after) };
}
