import { fields, never, onlyWhenCreating, placed } from '../../../resource/native-field';

/** The platform gives them. */
export const ownId = never('is given by the platform', fields('id', 'id'));
export const stamps = never(
  'is set by the platform with each write',
  fields('time', 'created_at', 'updated_at'),
);

/** What the platform sets in the lines of contracts and change orders. */
export const computedInLines = ['total_amount', 'extended_amount', 'created_at', 'updated_at'];

/** What an accounting system calls the record. An ID there locks invoices and payments. */
export const origin = [
  ...fields('foreign_id', 'origin_id'),
  ...fields('text', 'origin_data', 'origin_code'),
] as const;

export const address = fields('text', 'address', 'city', 'state_code', 'zip', 'country_code');

const UNDER = 'is what the record is created under; records are never moved';

/** The project that a record is created in. */
export function projectScope(name: string) {
  return onlyWhenCreating(
    UNDER,
    placed('id', name, { creating: { kind: 'scope', name: 'project_id', of: 'project' } }),
  );
}

/** The contract that a record is created under. */
export function contractScope(name: string) {
  return onlyWhenCreating(UNDER, placed('id', name, { creating: { kind: 'scope', name, of: 'contract' } }));
}

/** Where a record with a currency of its own has it. */
export const ownCurrency = 'currency_configuration.currency_iso_code';

export const COMPUTED = 'is computed by the platform';
export const FIXED_CURRENCY = 'is fixed when the record is created';
