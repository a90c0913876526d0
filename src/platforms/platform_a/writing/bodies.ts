import type { JsonObject, JsonValue, NativeChange, StoredEntityType } from '@app/mapper';
import type { Parents } from '../reading/parents-cache';
import { idNumber } from '../wire/ids';
import { contractKinds, paths, type ContractKind } from '../wire/resources';
import type { Session, WriteCall } from '../wire/session';
import { placeOf } from './fields';

/** A record that is written, or its place among those of its project. */
export interface Target {
  readonly entityType: StoredEntityType;
  readonly variant: string | null;
  /** What it stands under; undefined for records of the company. */
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
      header['vendor_id'] = vendorId === null ? null : idNumber(vendorId);
    }
  }
  return header;
}

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
  const [path, wrapper] = resourceOf(entityType, variant);
  return {
    method: id === undefined ? 'POST' : 'PATCH',
    path: id === undefined ? path : `${path}/${id}`,
    body: { ...scopeOf(settings.company_id, entityType, parents), [wrapper]: header },
  };
}

function resourceOf(
  entityType: StoredEntityType,
  variant: string | null,
): readonly [path: string, wrapper: string] {
  switch (entityType) {
    case 'project':
      return [paths.projects, 'project'];
    case 'customer':
      return [paths.vendors, 'vendor'];
    case 'contract': {
      const { path, wrapper } = contractKindOf(variant);
      return [path, wrapper];
    }
    case 'invoice':
      return [paths.requisitions, 'requisition'];
    case 'payment':
      return [paths.payments, 'contract_payment'];
  }
}

/** The IDs that stand beside the wrapper. */
function scopeOf(company: string, entityType: StoredEntityType, parents: Parents | undefined): JsonObject {
  if (parents === undefined) return { company_id: idNumber(company) };
  const { project, contract } = parents;
  const name = entityType === 'invoice' ? 'commitment_id' : 'contract_id';
  return { project_id: idNumber(project), ...(contract !== undefined && { [name]: idNumber(contract) }) };
}
