import type { EntityType } from '../canonical/entity-type';
import { canonicalFields } from '../canonical/types';
import { absent, at, own, reference, source } from '../mapping/binding';
import { withoutContext } from '../mapping/codec';
import { currencyCodec, moneyCodec } from '../mapping/codecs/money';
import { textCodec } from '../mapping/codecs/text';
import { dateCodec, timestampCodec } from '../mapping/codecs/time';
import { Mapping } from '../mapping/mapping';
import type { MappingTable, ResourceOptions } from '../mapping/resource';
import type { Platform } from '../platforms';
import { fields, never, onlyWhenCreating, type NativeFields } from '../resource/native-field';
import { NativeResource } from '../resource/native-resource';

type CanonicalFields = typeof canonicalFields;

const text = textCodec({ blank: null });
const code = textCodec({ blank: null, longest: 40 });
const date = dateCodec(null);
const money = moneyCodec({ form: 'text' });
const currency = currencyCodec(null);
const key = (path: string) => reference(source(path, 'id', code));

const resource = {
  id: {
    path: 'key',
    schema: code.schema,
    decode: (wire) => code.decode(wire, withoutContext),
    encode: (id) => id,
  },
} as const satisfies ResourceOptions;

const unit = onlyWhenCreating('is fixed when the record is created', fields('code', 'unit'));

/** Whether every field of a type has its binding. */
function isWhole<Type extends EntityType>(
  entityType: Type,
  table: Partial<MappingTable<CanonicalFields[Type]>>,
): table is MappingTable<CanonicalFields[Type]> {
  return Object.keys(canonicalFields[entityType]).every((field) => Object.hasOwn(table, field));
}

/** A mapping of the fields given; the platform has no others. @param own the native fields beside key and stamps */
function someFields<Type extends EntityType>(
  entityType: Type,
  own: readonly NativeFields[],
  bindings: Partial<MappingTable<CanonicalFields[Type]>>,
  options: Partial<ResourceOptions> = {},
): Mapping {
  const nothing = Object.fromEntries(
    Object.keys(canonicalFields[entityType]).map((field) => [field, absent]),
  );
  const table = { ...nothing, ...bindings };
  if (!isWhole(entityType, table)) throw new Error(`A field of ${entityType} has no binding`);
  const native = new NativeResource({
    name: `${entityType}s`,
    requiredToCreate: [],
    fields: [
      never('is given by the ledger', fields('id', 'key')),
      never('is set with each write', fields('object', 'stamps'), fields('time', 'stamps.changed')),
      ...own,
    ],
  });
  return Mapping.define<CanonicalFields[Type]>(entityType, native, table, { ...resource, ...options });
}

/**
 * A third platform for tests, with a few fields of each of the five stored types: a ledger whose records have a `key`, text for
 * everything, and its own name for each field.
 */
export const smallPlatform: Platform = {
  blank: 'null',
  mappings: {
    project: someFields('project', [fields('text', 'code', 'title')], {
      number: at('code', code),
      name: at('title', text),
      updated_at: own('stamps.changed', timestampCodec(null)),
    }),
    customer: someFields('customer', [fields('text', 'title', 'tax.number', 'mail')], {
      name: at('title', text),
      tax_id: at('tax.number', code),
      email: at('mail', text),
    }),
    contract: someFields(
      'contract',
      [fields('text', 'code', 'title', 'sum', 'signed', 'project.key', 'party.key'), unit],
      {
        number: at('code', code),
        title: at('title', text),
        amount: at('sum', money),
        currency: at('unit', currency),
        contract_date: at('signed', date),
        project_id: key('project.key'),
        customer_id: key('party.key'),
      },
      { currency: 'unit' },
    ),
    invoice: someFields(
      'invoice',
      [fields('text', 'code', 'sum', 'issued', 'contract.key', 'project.key', 'party.key'), unit],
      {
        number: at('code', code),
        amount: at('sum', money),
        currency: at('unit', currency),
        invoice_date: at('issued', date),
        contract_id: key('contract.key'),
        project_id: key('project.key'),
        customer_id: key('party.key'),
      },
      { currency: 'unit' },
    ),
    payment: someFields(
      'payment',
      [fields('text', 'code', 'sum', 'paid', 'remark', 'invoice.key', 'contract.key', 'project.key')],
      {
        check_number: at('code', code),
        amount: at('sum', money),
        date: at('paid', date),
        notes: at('remark', text),
        invoice_id: key('invoice.key'),
        contract_id: key('contract.key'),
        project_id: key('project.key'),
      },
    ),
    employee: someFields('employee', [], {}),
    time_entry: someFields('time_entry', [], {}),
    change_order: someFields('change_order', [], {}),
    budget_line_item: someFields('budget_line_item', [], {}),
  },
};
