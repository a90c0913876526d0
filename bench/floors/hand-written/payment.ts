import type { JsonObject, JsonValue, Money } from '@app/mapper';
import { readDate, readId, readInstant, readMoney, readText, Taken } from './reading';
import { namedById, targetOf, translated, type KnownRecords, type Translated } from './translated';
import { writeCode, writeDate, writeId, writeMoney, writeText, Written } from './writing';

const statuses = new Set([
  'pending',
  'unpaid',
  'in_review',
  'approved',
  'processing',
  'paid',
  'rejected',
  'failed',
]);

/** A contract payment of platform_a as a line of a payment journal of platform_b. */
export function translatePayment(record: JsonObject, inherited: string, known: KnownRecords): Translated {
  const taken = new Taken();
  const { amount, status, date, check_number, invoice_number, notes, ...fields } = record;
  readMoney(taken, 'amount', amount, inherited, 'amount');
  readStatus(taken, status);
  readDate(taken, 'date', date, 'date');
  readText(taken, 'check_number', check_number, 'check_number');
  readText(taken, 'invoice_number', invoice_number, 'invoice_number');
  readText(taken, 'notes', notes, 'notes');
  readInstant(taken, 'created_at', fields['created_at'], 'created_at');
  readInstant(taken, 'updated_at', fields['updated_at'], 'updated_at');
  const invoice = invoicesOf(taken, fields['requisition_id'], invoice_number);
  const contract = namedById('contract', readId(taken, fields['contract_id'], 'contract_id'), 'contract_id');
  const project = namedById('project', readId(taken, fields['project_id'], 'project_id'), 'project_id');

  const { data } = taken;
  const written = new Written();
  const money = data['amount'] as Money | null | undefined; // It was read as money.
  writeMoney(written, 'amount', data['amount'], 'amount', inherited, -1);
  if (money) written.payload['currencyCode'] = money.currency;
  writeDate(written, 'postingDate', data['date']);
  writeCode(written, 'externalDocumentNumber', data['check_number'], 'check_number', 35);
  writeId(written, 'appliesToInvoiceId', targetOf(invoice, known));
  writeText(written, 'comment', data['notes'], 'notes', 250);

  return translated(
    taken,
    fields,
    undefined,
    {
      nativeId: readId(taken, fields['id'], 'id') ?? undefined,
      references: {
        ...(invoice && { invoice_id: invoice }),
        ...(contract && { contract_id: contract }),
        ...(project && { project_id: project }),
      },
      currency: inherited,
      namesCurrency: false,
    },
    written,
  );
}

/** The platform shows its words in title case here and there, so they are compared without regard to case. */
function readStatus(taken: Taken, native: JsonValue | undefined): void {
  if (native === undefined) return;
  if (native === null) taken.data['status'] = null;
  else if (typeof native !== 'string') taken.unfit('status', 'expected a string', native);
  else {
    const word = native.trim().toLowerCase();
    const known = statuses.has(word);
    taken.data['status'] = known ? word : 'unknown';
    if (word !== native || !known) taken.spelt('status', native);
  }
}

/** A payment names its invoice by ID, and by number. */
function invoicesOf(taken: Taken, id: JsonValue | undefined, number: JsonValue | undefined) {
  const byId = namedById('invoice', readId(taken, id, 'requisition_id'), 'requisition_id');
  if (typeof number !== 'string' || number === '') return byId;
  return [...(byId ?? []), { refersTo: 'invoice', by: 'key', value: number, path: 'invoice_number' }];
}
