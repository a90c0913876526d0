import { isOwnFieldName } from '../canonical/own-fields';
import { fieldListOf, fieldsOf } from '../canonical/types';
import { valueAt, withValueAt } from '../json/json-path';
import { ownMember, type JsonObject, type JsonValue } from '../json/json-value';
import { attempt } from '../mapping/codec';
import type { PayloadReading } from '../mapping/reading/decode';
import type { EncodeContext } from '../mapping/writing/encode';
import type { Mapping } from '../mapping/mapping';
import { MappingError } from '../mapping/mapping-error';
import { emptyResidue, type Residue } from '../mapping/reading/residue';
import { isReturned } from '../mapping/reading/returned';
import { sameDecimal } from '../money/decimal-arithmetic';
import { isMoney, moneyDecimal, type Money } from '../money/money';

/** A record on its way to another platform. */
export interface DecodedSource {
  /** What was read from the source. */
  readonly decoded: PayloadReading;
  /** The same data, with its amounts converted where that was asked for. */
  readonly data: JsonObject;
  /** The currency of these data; undefined if it is not known. */
  readonly currency: string | undefined;
  readonly sourceMapping: Mapping;
  readonly targetMapping: Mapping;
  readonly references: EncodeContext['references'];
  /** What the target's record holds beyond the data, from an earlier answer. */
  readonly residue: Residue | undefined;
  /** Native ID on the target, where it is known. */
  readonly id: string | undefined;
  /** Currency of a record that names none. */
  readonly inheritedCurrency: string;
}

/** The record as the target would show it. */
export interface TargetRecord {
  readonly payload: JsonObject;
  /** The fields of which the target's own values count again, because the source returns what it was shown. */
  readonly returned: ReadonlySet<string>;
}

/**
 * Writes the record in the target's form.
 *
 * @throws MappingError naming the fields of the source's record that the target cannot hold
 */
export function targetRecord(departure: DecodedSource): TargetRecord {
  const { currency, sourceMapping, targetMapping, references, residue, id, inheritedCurrency } = departure;
  const sent = outgoing(departure);
  const { payload, issues } = targetMapping.encode(sent, {
    references,
    residue,
    currency,
    localCurrency: inheritedCurrency,
    inheritedCurrency,
  });
  if (issues.length > 0) {
    throw new MappingError(
      issues.map(({ path, problem }) => ({ path: `data.${sourceMapping.pathOf(path) ?? path}`, problem })),
    );
  }
  return {
    payload: id === undefined ? payload : withId(payload, targetMapping, id),
    returned: targetMapping.returnedIn(sent, residue ?? emptyResidue),
  };
}

// A returned value that is unchanged means the original value. Converting it again would round it twice. This does not hold for
// amounts that inherit their currency, because the target's record may inherit another one, nor for converted amounts of a
// target's record that gets the new currency: amount and currency belong together.
function outgoing(departure: DecodedSource): JsonObject {
  const { decoded, data, residue = emptyResidue, targetMapping } = departure;
  const returned = new Map<string, JsonValue>();
  const unchanged = targetMapping.returnedIn(decoded.data, residue);
  const isMoved = getsNewCurrency(departure);
  for (const [field, value] of Object.entries(residue.returns ?? {})) {
    const given = ownMember(decoded.data, field);
    if (given === undefined || (isMoved && given !== ownMember(data, field))) continue;
    if (unchanged.has(field)) returned.set(field, given);
    else if (!decoded.namesCurrency && isMoney(value) && isMoney(given) && sameFigure(value, given))
      returned.set(field, value);
  }
  const currency = currencyMissing(departure, returned);
  if (returned.size === 0 && currency === undefined) return data;
  return { ...data, ...Object.fromEntries(returned), ...(currency !== undefined && { currency }) };
}

// Whether the target's record takes the currency that the amounts were converted into. It does not if it has no field for one,
// or if it is in that currency already and the source's record still has the noted one.
function getsNewCurrency({ decoded, data, residue, targetMapping, ...rest }: DecodedSource): boolean {
  if (data === decoded.data || targetMapping.pathOf('currency') === undefined) return false;
  const given = ownMember(decoded.data, 'currency');
  if (given === undefined || residue === undefined || !isReturned(residue, 'currency', given)) return true;
  const { inheritedCurrency, currency } = rest;
  const currencies = { inheritedCurrency, localCurrency: inheritedCurrency };
  const { fields } = residue;
  const own =
    targetMapping.currencyNamedIn(fields) ??
    residue.currency ??
    targetMapping.currencyUnnamedIn(fields, currencies);
  return own !== currency;
}

// A target record that names no currency gets the currency of its first amount or price that is not returned as the target had
// it. The amount in one of the customer's own fields is in the record's own currency and needs none, unless it was
// converted.
function currencyMissing(
  { decoded, data, currency, targetMapping: { entityType, own } }: DecodedSource,
  returned: ReadonlyMap<string, JsonValue>,
): string | undefined {
  if (typeof data.currency === 'string' || fieldsOf(entityType).currency === undefined) return undefined;
  for (const { name, money, price } of fieldListOf(entityType, own)) {
    const value = returned.has(name) ? undefined : data[name];
    if (price && typeof value === 'string') return currency;
    if (!money || !isMoney(value)) continue;
    if (!(isOwnFieldName(name) && value.currency === decoded.currency)) return value.currency;
  }
  return undefined;
}

// A figure without a currency is the same figure whatever currency the context reads it in.
function sameFigure(left: Money, right: Money): boolean {
  return sameDecimal(moneyDecimal(left), moneyDecimal(right));
}

function withId(payload: JsonObject, { options }: Mapping, id: string): JsonObject {
  const path = options.id.path.split('.');
  const native = valueAt(payload, path);
  const read = native === undefined ? undefined : attempt(() => options.id.decode(native));
  if (read !== undefined && 'value' in read && read.value === id) return payload;
  return withValueAt(payload, path, options.id.encode(id));
}
