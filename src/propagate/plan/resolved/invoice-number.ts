import { assembleFields, normaliseKey, ownMember, type JsonValue } from '@app/mapper';
import type { ChangeContext } from '../context/change-context';
import type { FieldValues } from '../intent/canonical-intent';
import { untranslatable } from '../refusal';

/**
 * Keeps a payment's invoice number consistent with its invoice. A payment that moves to another invoice gets that
 * invoice's number. A number of another invoice moves the payment to that invoice. A number without an invoice would be
 * lost with the next read, because a linked payment shows the number of its invoice.
 *
 * @throws ChangeRefused `untranslatable` for a number that would be lost
 */
export function withInvoiceNumber(context: ChangeContext, values: FieldValues): FieldValues {
  const { entityType, canonical, origin, requested, resolved } = context;
  if (entityType !== 'payment') return values;
  const present = ownMember(canonical, 'invoice_id');
  const linked = values.has('invoice_id') ? values.get('invoice_id') : present;
  const said = values.get('invoice_number');
  const repoints = values.has('invoice_id');
  if (!repoints && said === undefined) return values;
  if (typeof linked !== 'string') return repoints && said === undefined ? withNumber(values, null) : values;

  const number = numberOf(context, linked);
  if (repoints) {
    if (said === undefined || origin !== undefined) return withNumber(values, number);
    if (number === null || sameNumber(said, number)) return values;
    throw lost(
      requested.pathOf('invoice_number'),
      `the payment would show ${JSON.stringify(number)}, the number of its invoice`,
    );
  }
  if (number === null) return values;
  // The same number in another case: the invoice keeps its spelling.
  if (sameNumber(said ?? null, number)) return without(values, 'invoice_number');
  const named = resolved.invoiceNamed;
  if (named !== undefined && existsWhereWritten(context, named)) {
    return new Map<string, JsonValue>([
      ...withNumber(values, numberOf(context, named)),
      ['invoice_id', named],
    ]);
  }
  throw lost(
    requested.pathOf('invoice_number'),
    `names no single invoice, and the payment shows ${JSON.stringify(number)}, the number of the invoice that it is linked to; change invoice_id, or the number of the invoice`,
  );
}

// A platform that the change addresses natively must have the invoice itself.
function existsWhereWritten({ origin, referredObjects }: ChangeContext, id: string): boolean {
  return (
    origin === undefined ||
    (referredObjects.get(id)?.copies.some(({ platform }) => platform === origin.platform) ?? false)
  );
}

function numberOf({ referredObjects, canonical, terms }: ChangeContext, id: string): string | null {
  const invoice = referredObjects.get(id);
  if (invoice === undefined) return id === canonical.invoice_id ? textOf(canonical.invoice_number) : null;
  return textOf(assembleFields(invoice, ['number'], terms).number);
}

function textOf(value: JsonValue | undefined): string | null {
  return typeof value === 'string' ? value : null;
}

function sameNumber(one: JsonValue, other: string): boolean {
  return typeof one === 'string' && normaliseKey(one) === normaliseKey(other);
}

function withNumber(values: FieldValues, number: string | null): FieldValues {
  return new Map<string, JsonValue>([...values, ['invoice_number', number]]);
}

function without(values: FieldValues, field: string): FieldValues {
  return new Map([...values].filter(([name]) => name !== field));
}

function lost(path: string, problem: string): Error {
  return untranslatable([{ path, problem }]);
}
