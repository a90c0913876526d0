import {
  ComparedRecords,
  type ComparedField,
  type FieldReading,
  type PlatformName,
  type ValueTerms,
} from '@app/mapper';
import type { LoadedObject } from '../../../records/loaded-object';
import type { CaseRecord, ComparedFieldResponse, ComparedValue } from '../cases.response';

/** An object with the record of a candidate on a platform where it has none. */
export function joined(own: LoadedObject, other: LoadedObject, platform: PlatformName): LoadedObject {
  const taken = other.copies.filter((copy) => copy.platform === platform);
  return { ...own, copies: [...own.copies.filter((copy) => copy.platform !== platform), ...taken] };
}

/**
 * The object of a case's records: that of the first one, with the others beside it. The records of a case that is closed
 * may be parted by now. Undefined if all of them are gone.
 */
export function objectWith(
  records: readonly CaseRecord[],
  objectOf: (record: CaseRecord) => LoadedObject | undefined,
): LoadedObject | undefined {
  let own: LoadedObject | undefined;
  for (const record of records) {
    const other = objectOf(record);
    if (own === undefined) own = other;
    else if (other !== undefined && other.id !== own.id) own = joined(own, other, record.platform);
  }
  return own;
}

/** The fields of an object on two platforms, in the public form. Pure. */
export function comparedFields(
  object: LoadedObject,
  [left, right]: readonly [PlatformName, PlatformName],
  { rates, own }: ValueTerms,
): readonly ComparedFieldResponse[] {
  const value = ({ platform, canonical, native, path }: FieldReading): [PlatformName, ComparedValue] => [
    platform,
    { canonical, native, path },
  ];
  // A case of one record has its platform on both sides.
  const once = (sayings: ComparedField['readings']) => (left === right ? sayings.slice(0, 1) : sayings);
  return new ComparedRecords(object, own)
    .fields(left, right, rates)
    .map(({ field, same, readings: sayings }) => ({
      field,
      same: left === right ? null : same,
      values: Object.fromEntries(once(sayings).map(value)),
    }));
}
