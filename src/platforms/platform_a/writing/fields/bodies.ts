import type { JsonObject, JsonValue, NativeChange, NativeResource, StoredEntityType } from '@app/mapper';
import type { Parents } from '../../reading/parents-cache';
import { idNumber } from '../../wire/ids';
import { contractKinds, nativeResource, type ContractKind } from '../../wire/resources';
import type { Session, WriteCall } from '../../wire/session';
import { placeOf } from './fields';

/** A record that is written, or its place among those of its project. */
export interface Target {
  readonly entityType: StoredEntityType;
  readonly variant: string | null;
  /** The parents of the record; undefined for records of the company. */
  readonly parents: Parents | undefined;
}

/** The members of a wrapper that changes set; what is written in another way is left out. */
export function headerOf(
  entityType: StoredEntityType,
  changes: readonly NativeChange[],
  isNew: boolean,
  vendorId?: string | null,
): Readonly<Record<string, JsonValue>> {
  const header: Record<string, JsonValue> = {};
  for (const change of changes) {
    const place = placeOf(entityType, change, isNew);
    if (place.kind === 'header') Object.assign(header, place.members);
    if (place.kind === 'vendor' && vendorId !== undefined) {
      header[place.member] = vendorId === null ? null : idNumber(vendorId);
    }
  }
  return header;
}

/** The kind of a contract; the first where it is not known. */
export function contractKindOf(variant: string | null): ContractKind {
  const kind = contractKinds.find((candidate) => candidate.variant === variant) ?? contractKinds[0];
  if (kind === undefined) throw new Error('There is no kind of contract');
  return kind;
}

/** The call that creates a record, or changes the one with an ID. */
export function headerCall(
  { settings }: Pick<Session, 'settings'>,
  { entityType, variant, parents }: Target,
  header: JsonObject,
  id?: string,
): WriteCall {
  const resource = nativeResource(entityType, variant);
  const { path, wrapper = resource.name } = resource;
  return {
    method: id === undefined ? 'POST' : 'PATCH',
    path: id === undefined ? path : `${path}/${id}`,
    body: { ...scopeOf(resource, settings.company_id, parents), [wrapper]: header },
  };
}

/** The IDs that stand beside the wrapper. */
function scopeOf({ scope }: NativeResource, company: string, parents: Parents | undefined): JsonObject {
  if (parents === undefined) return { company_id: idNumber(company) };
  return Object.fromEntries(
    scope.flatMap(({ name, of }) => {
      const id = parents[of];
      return id === undefined ? [] : [[name, idNumber(id)]];
    }),
  );
}
