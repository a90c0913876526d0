import { ownMember, type StoredEntityType } from '@app/mapper';
import type { SimulatedWrite } from '../behaviour';

const SYNCED: Readonly<Partial<Record<StoredEntityType, string>>> = {
  invoice: 'The invoice is not editable because it has been synced with ERP',
  payment: 'The Contract Payment cannot be edited or deleted because it is synced with an ERP system',
};
const ofTheAccountingSystem: ReadonlySet<string> = new Set(['origin_id', 'origin_data', 'origin_code']);

/**
 * Why the platform does not let a record be changed: an accounting system has put its own ID on it. Of a payment it may still
 * change what belongs to it.
 */
export function lockOnPlatformA({ entityType, current, changes }: SimulatedWrite): string | undefined {
  const words = SYNCED[entityType];
  const origin = current && ownMember(current, 'origin_id');
  if (words === undefined || typeof origin !== 'string' || origin === '') return undefined;
  const isFree = changes.every(({ path }) => ofTheAccountingSystem.has(path.join('.')));
  return entityType === 'payment' && isFree ? undefined : words;
}
