import type { JsonValue } from '../../json/json-value';
import { isCurrency } from '../../money/currencies';
import { AmountError, moneyNumber, moneyOf, moneyText, shortMoney, type Money } from '../../money/money';
import { Unfit, shown, unfit, type Codec, type ValueContext } from '../codec';
import type { ValueSchema } from '../../canonical/schema';
import { currencySchema } from '../../canonical/schemas';
import { decimalValue, numberSchemas, plainText, type NumberForm } from './number';

/** How a platform writes an amount. */
export interface MoneyForm {
  readonly form: NumberForm;
  /** The platform's sign is the opposite of ours, as in a cash receipt journal. */
  readonly negated?: true;
  /** The amount is in the company's local currency, whatever the record's is. */
  readonly local?: true;
}

/** Money in the record's currency: the field holds the number alone. Never rounds. */
export function moneyCodec({ form, negated, local }: MoneyForm): Codec<Money> {
  const plain = numberSchemas[form];
  const currencyOf = (context: ValueContext) => (local ? context.localCurrency : context.currency);
  return {
    schema: negated ? turned(plain) : plain,
    decode: (wire, context) => {
      if (wire === null) return null;
      const currency = currencyOf(context);
      const short = currency === undefined ? undefined : shortMoney(plainText(wire, form) ?? '', currency);
      if (short !== undefined) return negated && short.amount !== 0 ? turnedMoney(short) : short;
      const decimal = decimalValue(wire, form);
      if (decimal === undefined) throw unfit(plain, wire);
      if (currency === undefined) throw new Unfit('is an amount in a currency that is not known');
      return exactly(() =>
        moneyOf(negated ? { ...decimal, units: -decimal.units } : decimal, currency, textOf(wire)),
      );
    },
    encode: (value, context) => {
      if (value === null) return form === 'number' ? 0 : null;
      const currency = currencyOf(context);
      if (value.currency !== currency) {
        throw new Unfit(
          `is in ${value.currency}, while the record is in ${currency ?? 'no currency that is known'}`,
        );
      }
      const signed = negated && value.amount !== 0 ? turnedMoney(value) : value;
      if (form === 'text') return moneyText(signed);
      // The message shows the amount as the caller gave it, so the sign is turned afterwards.
      const number = exactly(() => moneyNumber(value));
      return signed === value ? number : -number;
    },
  };
}

/** The code of the record's currency. A blank one means what the record inherits, or the company's local currency. */
export function currencyCodec(blank: '' | null): Codec<string> {
  return {
    schema: currencySchema,
    decode: (wire, context) => {
      const currency = currencyMeant(wire, context);
      if (currency === undefined) throw unfit(currencySchema, wire);
      return currency;
    },
    encode: (value) => value ?? blank,
  };
}

/** The currency that a record's currency field means, also when it is blank or not there; undefined if none. */
export function currencyMeant(wire: JsonValue | undefined, context: ValueContext): string | undefined {
  if (!isBlankCurrency(wire)) return currencyNamed(wire);
  const meant = wire === undefined ? context.absentCurrency : context.blankCurrency;
  return meant ?? context.currency;
}

/** Whether a currency field says nothing: it is absent, null, or text without a character. */
export function isBlankCurrency(wire: JsonValue | undefined): boolean {
  return wire === undefined || wire === null || (typeof wire === 'string' && wire.trim() === '');
}

/** The currency a code names, or undefined if it names none. Codes are compared trimmed and in upper case. */
export function currencyNamed(wire: JsonValue | undefined): string | undefined {
  if (typeof wire !== 'string') return undefined;
  if (isCurrency(wire)) return wire;
  const code = wire.trim().toUpperCase();
  return isCurrency(code) ? code : undefined;
}

function turnedMoney({ amount, currency }: Money): Money {
  return { amount: -amount, currency };
}

function turned(schema: ValueSchema): ValueSchema {
  const sign = 'Of the opposite sign: a receipt is negative.';
  return { ...schema, note: 'of the opposite sign', description: `${schema.description} ${sign}` };
}

function exactly<Result>(compute: () => Result): Result {
  try {
    return compute();
  } catch (error) {
    if (error instanceof AmountError) throw new Unfit(error.message, { cause: error });
    throw error;
  }
}

function textOf(wire: JsonValue): string {
  return typeof wire === 'string' ? wire : shown(wire);
}
