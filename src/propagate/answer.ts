import { mappingOf, type JsonObject } from '@app/mapper';
import type { ChangeContext } from './plan/change-context';
import { conversionIn, type PlatformOutcome } from './plan/change-result';
import { reportReferences } from './plan/reference-report';
import type { PropagatedEntry, PropagateResult } from './propagate.answer';

/** What is known of a change when its answer is due. */
export interface Answerable {
  readonly outcomes: readonly PlatformOutcome[];
  readonly object: JsonObject;
  readonly updatedFields: readonly string[];
}

/** The answer to a change: the same for what was decided at once and for what is still open. */
export function answerOf(
  context: ChangeContext,
  { outcomes, object, updatedFields }: Answerable,
): PropagateResult {
  const { entityType, origin, around } = context;
  const targets = outcomes
    .filter(({ platform }) => platform !== origin?.platform)
    .map(({ platform, written, copy }) => ({
      platform,
      exists: copy !== undefined,
      written: new Set(mappingOf(platform, entityType, { variant: copy?.variant }).fieldsAt(written)),
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
    ...(references && { references }),
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
