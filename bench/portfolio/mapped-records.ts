import type { EntityType, JsonObject } from '@app/mapper';
import { behaviourOf, type PortfolioRecord } from '@app/behaviour';
import type { KnownRecords } from '../floors/hand-written/translated';

/** The types whose mapping is measured. */
export const mappedTypes = ['invoice', 'payment', 'contract'] as const;
export type MappedType = (typeof mappedTypes)[number];

/** The records of one type in the sample portfolio of platform_a: as the platform has them, with all that is not mapped. */
export function sampleRecords(entityType: MappedType): readonly PortfolioRecord[] {
  return behaviourOf('platform_a')
    .portfolio()
    .filter((record) => record.entityType === entityType);
}

/** The IDs and keys on platform_b of all records that these refer to. */
export function knownRecords(records: readonly PortfolioRecord[]): KnownRecords {
  const known = new Map<string, { readonly id: string; readonly key: string }>();
  const add = (refersTo: EntityType, value: unknown) => {
    if (typeof value !== 'number' && typeof value !== 'string') return;
    const digits = String(value).replace(/\D/g, '').padStart(12, '0').slice(-12);
    known.set(`${refersTo} ${value}`, { id: `5c0b2d1e-0000-4000-8000-${digits}`, key: `KEY-${digits}` });
  };
  for (const { payload } of records) {
    add('project', payload['project_id'] ?? memberOf(payload, 'project'));
    add('customer', payload['vendor_id'] ?? memberOf(payload, 'vendor'));
    add('contract', payload['commitment_id'] ?? payload['contract_id']);
    add('invoice', payload['requisition_id']);
  }
  return known;
}

function memberOf(payload: JsonObject, member: string): unknown {
  const value = payload[member];
  return typeof value === 'object' && value !== null && 'id' in value ? value.id : undefined;
}
