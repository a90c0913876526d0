import { assembleObject, type JsonObject, type JsonValue } from '@app/mapper';
import type { Referred } from './referred-objects';
import type { Scene } from './scene';
import type { Wanted } from './wanted';

/**
 * A payment that is put on another invoice shows that invoice's number, unless the change says otherwise: the number
 * and the invoice must not contradict each other.
 */
export function withInvoiceNumber(
  { entityType, origin }: Scene,
  wanted: Wanted,
  referred: Referred,
): { readonly wanted: Wanted; readonly referred: Referred } {
  const id = wanted.values.get('invoice_id');
  const unsaid = id !== undefined && !wanted.values.has('invoice_number');
  // The platform that has a field for the number was told what to write there, and what not.
  if (entityType !== 'payment' || !unsaid || origin?.mapping.accessTo('invoice_number') !== undefined) {
    return { wanted, referred };
  }
  const invoice = typeof id === 'string' ? referred.objects.get(id) : undefined;
  const number: JsonValue = (invoice && assembleObject(invoice).object.number) ?? null;
  const follow = (object: JsonObject): JsonObject => ({ ...object, invoice_number: number });
  return {
    wanted: {
      ...wanted,
      values: new Map([...wanted.values, ['invoice_number', number]]),
      next: follow(wanted.next),
    },
    referred: { ...referred, completed: follow(referred.completed) },
  };
}
