import { mappingOf, type Conversion, type JsonObject, type PlatformName, type StoredEntityType } from '@app/mapper';
import type { Applied, PlatformOutcome } from './everywhere';
import { reportReferences, type StoredReferenceReport } from './reference-report';
import type { Referred } from './referred-objects';
import type { Scene } from './scene';

/** What became of a change on one platform. */
export interface PropagatedEntry {
  /** Absent where the platform does not have the object. */
  readonly platform_id?: string;
  readonly status: PlatformOutcome['status'];
  /** Why it was skipped or rejected, or which fields stayed as they were. */
  readonly reason?: string;
  /** The record as it now stands there. */
  readonly data?: JsonObject;
  readonly conversion?: Conversion;
}

/** What a propagation answers. */
export interface PropagateResult {
  readonly canonical: {
    readonly id: string;
    readonly entity_type: StoredEntityType;
    readonly updated_fields: readonly string[];
    readonly data: JsonObject;
  };
  readonly propagated: Readonly<Partial<Record<PlatformName, PropagatedEntry>>>;
  readonly references?: StoredReferenceReport;
}

/** Tells what a change did. */
export function answerOf(scene: Scene, applied: Applied, referred: Referred): PropagateResult {
  const { entityType, object, origin } = scene;
  const targets = applied.outcomes
    .filter(({ platform, copy }) => copy !== undefined && platform !== origin?.platform)
    .map(({ platform, written, copy }) => ({
      platform,
      written: new Set(
        mappingOf(platform, entityType, { variant: copy?.variant }).fieldsAt(written.map((path) => path.split('.'))),
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
