import {
  ownFieldName,
  type DescribedAccess,
  type EntityType,
  type OwnCodec,
  type OwnPlace,
} from '@app/mapper';
import type { ListedField } from './own-fields.service';

/** An own field in its public form: the API and the operator's commands show it alike. Times are ISO 8601. */
export interface ShownField {
  readonly entity_type: EntityType;
  readonly name: string;
  readonly field: string;
  /** Null for a removed field. */
  readonly codec: OwnCodec | null;
  readonly label: string | null;
  readonly platforms: Readonly<Record<string, OwnPlace>>;
  readonly on: readonly DescribedAccess[];
  readonly since: string | null;
  readonly removed: boolean;
  readonly status: 'reading' | 'ready';
  readonly records: {
    readonly total: number;
    readonly read: number;
    readonly filled: number;
    readonly unreadable: number;
  };
  readonly reason: string | null;
  readonly decided_by: string | null;
}

/** An own field in its public form. Pure. */
export function shownField({ reading, defined }: ListedField): ShownField {
  const { entityType, name, isRemoved, isReady, total, read, filled, unreadable } = reading;
  return {
    entity_type: entityType,
    name,
    field: ownFieldName(name),
    codec: defined?.definition.codec ?? null,
    label: defined?.definition.label ?? null,
    platforms: defined?.definition.platforms ?? {},
    on: defined?.on ?? [],
    since: defined?.since.toISOString() ?? null,
    removed: isRemoved,
    status: isReady ? 'ready' : 'reading',
    records: { total, read, filled, unreadable },
    reason: defined?.reason ?? null,
    decided_by: defined?.decidedBy ?? null,
  };
}
