import { ExactNumber, hasMembers, isList, readExactly, writeExactly, type ExactJson } from './exact-json';

/** A platform's record, as text. */
export interface RawRecord {
  readonly platform: string;
  readonly platformId: string;
  /** Undefined for one that is there. */
  readonly deletedAt: string | undefined;
  readonly text: string;
}

/** The records in the answer about an object, with each number as it was sent. */
export function rawRecords(answer: string): RawRecord[] {
  const records = member(member(readExactly(answer), 'data'), 'records');
  if (!isList(records)) return [];
  return records.map((record) => ({
    platform: textOf(member(record, 'platform')) ?? '',
    platformId: textOf(member(record, 'platform_id')) ?? '',
    deletedAt: textOf(member(record, 'deleted_at')),
    text: writeExactly(member(record, 'platform_data') ?? null),
  }));
}

function member(value: ExactJson | undefined, name: string): ExactJson | undefined {
  return hasMembers(value) ? value.get(name) : undefined;
}

function textOf(value: ExactJson | undefined): string | undefined {
  return value instanceof ExactNumber ? value.text : typeof value === 'string' ? value : undefined;
}
