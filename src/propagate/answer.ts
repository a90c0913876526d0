import { mappingOf } from '@app/mapper';
import type { Applied, PlatformOutcome } from './everywhere';
import type { PropagatedEntry, PropagateResult } from './propagate.answer';
import { reportReferences } from './reference-report';
import type { Referred } from './referred-objects';
import type { Scene } from './scene';

/** Tells what a change did. */
export function answerOf(scene: Scene, applied: Applied, referred: Referred): PropagateResult {
  const { entityType, object, origin } = scene;
  const targets = applied.outcomes
    .filter(({ platform }) => platform !== origin?.platform)
    .map(({ platform, written, copy }) => ({
      platform,
      stands: copy !== undefined,
      written: new Set(
        mappingOf(platform, entityType, { variant: copy?.variant }).fieldsAt(
          written.map((path) => path.split('.')),
        ),
      ),
    }));
  const references = reportReferences(entityType, applied.object, targets, referred.objects);
  return {
    canonical: {
      id: object.id,
      entity_type: entityType,
      updated_fields: applied.updatedFields,
      data: applied.object,
    },
    propagated: Object.fromEntries(applied.outcomes.map((outcome) => [outcome.platform, entryOf(outcome)])),
    ...(references && { references }),
  };
}

function entryOf({ copy, status, reason, conversion }: PlatformOutcome): PropagatedEntry {
  return {
    ...(copy && { platform_id: copy.platformId }),
    status,
    ...(reason !== undefined && { reason }),
    ...(copy && { data: copy.payload }),
    ...(conversion && { conversion }),
  };
}
