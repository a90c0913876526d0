import { valueAt } from '@app/mapper';
import type { ChangeContext } from './plan/context/change-context';
import type { ChangeReason } from './plan/intent/change';
import type { ChangePlan } from './plan/change-plan';
import {
  conversionIn,
  writtenFields,
  type ChangeResult,
  type PlatformOutcome,
} from './plan/result/change-result';
import type { ChangeWarning } from './plan/rules/broken-rule';
import { reportReferences } from './plan/result/reference-report';
import type { PropagatedEntry, PropagateResult } from './propagate.response';

/**
 * The response to a change that was decided at once.
 *
 * @param propagationId undefined if nothing was stored
 * @param why shown with a change that was stored
 */
export function responseOf(
  context: ChangeContext,
  { outcomes, object, version, updatedFields }: ChangeResult,
  propagationId: string | undefined,
  warnings: readonly ChangeWarning[],
  why: ChangeReason = {},
): PropagateResult {
  const { entityType, origin, referredObjects } = context;
  const { reason, decidedBy } = why;
  const targets = outcomes
    .filter(({ platform }) => platform !== origin?.platform)
    .map((outcome) => ({
      platform: outcome.platform,
      exists: outcome.copy !== undefined,
      written: new Set(writtenFields(entityType, outcome)),
    }));
  const references = reportReferences(entityType, object, targets, referredObjects);
  return {
    canonical: {
      id: context.object.id,
      entity_type: entityType,
      updated_fields: updatedFields,
      data: object,
      version,
    },
    propagated: Object.fromEntries(outcomes.map((outcome) => [outcome.platform, entryOf(outcome)])),
    ...(warnings.length > 0 && { warnings }),
    ...(references && { references }),
    ...(propagationId !== undefined && {
      propagation_id: propagationId,
      ...(reason !== undefined && { reason }),
      ...(decidedBy !== undefined && { decided_by: decidedBy }),
    }),
  };
}

/**
 * The response to a dry run: the response to the change, with the writes to each platform and the predicted records.
 * The version is that of the present object, which a later change can name.
 *
 * @param version of the present object
 */
export function dryRunResponseOf(
  context: ChangeContext,
  result: ChangeResult,
  { steps, warnings }: ChangePlan,
  version: string,
): PropagateResult {
  const { canonical, propagated, ...rest } = responseOf(context, result, undefined, warnings);
  const entries: Record<string, PropagatedEntry> = { ...propagated };
  for (const step of steps) {
    const entry = propagated[step.platform];
    if (step.kind !== 'write' || (entry?.status !== 'applied' && entry?.status !== 'pending')) continue;
    // A platform without null is sent its default, which the predicted record shows.
    const changes = step.sends.map(({ path, value }) => ({
      path: path.join('.'),
      value: value ?? valueAt(step.predicted, path) ?? null,
    }));
    const { platform_id: id, ...said } = entry;
    // The platform assigns the ID of a new record, so a dry run cannot name it.
    const named = step.write.platformId === null || id === undefined ? said : { platform_id: id, ...said };
    entries[step.platform] = { ...named, data: step.predicted, changes };
  }
  return { dry_run: true, canonical: { ...canonical, version }, propagated: entries, ...rest };
}

function entryOf({ copy, status, reason, left, conversions, created }: PlatformOutcome): PropagatedEntry {
  const [first] = conversions;
  return {
    ...(copy && { platform_id: copy.platformId }),
    status,
    ...(created && { created }),
    ...(reason !== undefined && { reason }),
    ...(left.length > 0 && { left }),
    ...(copy && { data: copy.known }),
    ...(first && { conversion: conversionIn(first), conversions }),
  };
}
