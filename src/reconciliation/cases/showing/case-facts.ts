import {
  isJsonArray,
  isJsonObject,
  isPlatformName,
  ownMember,
  ownObject,
  ownText,
  type JsonObject,
  type JsonValue,
  type PlatformName,
} from '@app/mapper';
import type { AddressedRecord } from '../../../platforms/connector';
import type { MoneySum } from '../../statement/statement.response';

type ByPlatform<Value> = Readonly<Partial<Record<PlatformName, Value>>>;

/** What `withFacts` has stored of a case's object. All is empty for a case that a release without facts has stored. */
export interface CaseFacts {
  readonly label: string | null;
  /** Canonical ID. */
  readonly counterparty: string | null;
  /** The currency of the case's difference and of its converted amounts; undefined if a former release has stored it. */
  readonly currency: string | undefined;
  readonly amounts: ByPlatform<{
    readonly native: MoneySum;
    /** Minor units of {@link currency}. */
    readonly converted: bigint | null;
  }>;
  readonly places: ByPlatform<Pick<AddressedRecord, 'variant' | 'parents'>>;
  /** How many lines the amount is the sum of, if they are several. */
  readonly lines: ByPlatform<number>;
  /** Canonical fields that a new record on the other platform would lack. */
  readonly lacks: readonly string[];
  /** The field with the date of the document, for records with different dates. */
  readonly dates: string | undefined;
}

/** The facts in a stored detail. Pure. */
export function caseFactsFrom(detail: JsonObject): CaseFacts {
  const stored = ownObject(detail, 'facts');
  const by = <Value>(name: string, from: (value: JsonValue) => Value | undefined): ByPlatform<Value> => {
    const values: Partial<Record<PlatformName, Value>> = {};
    for (const [platform, value] of Object.entries(ownObject(stored, name))) {
      const read = from(value);
      if (isPlatformName(platform) && read !== undefined) values[platform] = read;
    }
    return values;
  };
  const lacks = ownMember(stored, 'lacks');
  return {
    label: ownText(stored, 'label') ?? null,
    counterparty: ownText(stored, 'counterparty') ?? null,
    currency: ownText(stored, 'currency'),
    amounts: by('amounts', amountFrom),
    places: by('places', placeFrom),
    lines: by('lines', (count) => (typeof count === 'number' ? count : undefined)),
    lacks: isJsonArray(lacks) ? lacks.filter((field) => typeof field === 'string') : [],
    dates: ownText(stored, 'dates'),
  };
}

function amountFrom(value: JsonValue) {
  const stored = objectIn(value);
  const [amount, currency] = [ownMember(stored, 'amount'), ownText(stored, 'currency')];
  if (amount === undefined || currency === undefined) return undefined;
  const converted = ownText(stored, 'converted');
  return { native: { amount, currency }, converted: converted === undefined ? null : BigInt(converted) };
}

function placeFrom(value: JsonValue): Pick<AddressedRecord, 'variant' | 'parents'> {
  const parents = ownObject(objectIn(value), 'parents');
  const [project, contract] = ['project', 'contract'].map((name) => ownText(parents, name));
  return {
    variant: ownText(objectIn(value), 'variant') ?? null,
    parents: { ...(project !== undefined && { project }), ...(contract !== undefined && { contract }) },
  };
}

function objectIn(value: JsonValue): JsonObject {
  return isJsonObject(value) ? value : {};
}
