import type { ChangeContext } from './plan/change-context';
import { conversionIn, writtenFields, type ChangeResult, type PlatformOutcome } from './plan/change-result';
import type { ChangeWarning } from './plan/rules/broken-rule';
import { reportReferences } from './plan/reference-report';
import type { PropagatedEntry, PropagateResult } from './propagate.answer';

/**
 * The answer to a change that was decided at once.
 *
 * @param propagationId undefined where nothing was stored
 */
export function answerOf(
  context: ChangeContext,
  { outcomes, object, updatedFields }: ChangeResult,
  propagationId: string | undefined,
  warnings: readonly ChangeWarning[],
): PropagateResult {
  const { entityType, origin, around } = context;
  const targets = outcomes
    .filter(({ platform }) => platform !== origin?.platform)
    .map((outcome) => ({
      platform: outcome.platform,
      exists: outcome.copy !== undefined,
      written: new Set(writtenFields(entityType, outcome)),
    }));
  const references = reportReferences(entityType, object, targets, around);
  return {
    canonical: {
      id: context.object.id,
      entity_type: entityType,
      updated_fields: updatedFields,
      data: object,
    },
    propagated: Object.fromEntries(outcomes.map((outcome) => [outcome.platform, entryOf(outcome)])),
    ...(warnings.length > 0 && { warnings }),
    ...(references && { references }),
    ...(propagationId !== undefined && { propagation_id: propagationId }),
  };
}

function entryOf({ copy, status, reason, conversions }: PlatformOutcome): PropagatedEntry {
  const [first] = conversions;
  return {
    ...(copy && { platform_id: copy.platformId }),
    status,
    ...(reason !== undefined && { reason }),
    ...(copy && { data: copy.known }),
    ...(first && { conversion: conversionIn(first), conversions }),
  };
}
