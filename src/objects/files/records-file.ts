import { ComparedRecords, stringifyJson, type JsonValue, type PlatformName } from '@app/mapper';
import { csvLine, type Cell } from '../../common/csv/csv';
import { moneyCells, timeCell, type CsvTable } from '../../common/csv/csv-file';
import { objectFrom } from '../../records/objects/copy-rows';
import { documentDates } from '../../records/objects/document-dates';
import { namingFields } from '../../records/platform-records/naming-fields';
import { projectOn, projectsByPlatform } from '../../records/objects/project-of-record';
import type { FileObject, RecordsOfFile } from './file-records.repository';

const COLUMNS = [
  'entity_type',
  'platform',
  'native_id',
  'number',
  'title',
  'canonical_id',
  'linked_records',
  'project_id',
  'project_name',
  'status',
  'document_date',
  'due_date',
  'native_amount',
  'amount',
  'currency',
] as const;

/** A platform's records as CSV. */
export function recordsFile({ time }: RecordsOfFile, rows: AsyncIterable<string>): CsvTable {
  return { title: 'records', about: [['as of', timeCell(time)]], columns: COLUMNS, rows };
}

/** The project in which a platform's record counts. Pure. */
export function projectOfRecord(rows: FileObject, platform: PlatformName): string | null {
  return projectOn(projectsByPlatform(rows), platform);
}

/**
 * The row of a platform's record. The amount is the one that a statement adds up. Pure.
 *
 * @param rows of the record's object
 * @param names of projects, by ID
 */
export function recordLine(
  rows: FileObject,
  platform: PlatformName,
  names: ReadonlyMap<string, string>,
): string {
  const object = objectFrom(rows);
  const { id, entityType } = object;
  const records = new ComparedRecords(object);
  const own = rows.find((row) => row.platform === platform);
  const linked = object.copies.filter((copy) => copy.platform !== platform);
  const { date, due } = documentDates(entityType, records, platform);
  const project = projectOfRecord(rows, platform);
  const { title } = namingFields[entityType];
  return csvLine([
    entityType,
    platform,
    own?.platform_id ?? null,
    own?.number ?? null,
    title === undefined ? null : records.textOf(platform, title),
    id,
    linked.map((copy) => `${copy.platform} ${copy.platformId}`).join('; '),
    project,
    project === null ? null : (names.get(project) ?? null),
    records.textOf(platform, 'status'),
    timeCell(date),
    timeCell(due),
    nativeCell(records.nativeOf(platform, 'amount')),
    ...moneyCells(records.moneyOf(platform, 'amount')),
  ]);
}

/** A value as the platform writes it. A plain decimal is a number, whether the platform writes a number or a text. */
function nativeCell(value: JsonValue): Cell {
  if (value === null) return null;
  const text = typeof value === 'string' ? value : stringifyJson(value);
  return /^-?\d+(?:\.\d+)?$/.test(text) ? { number: text } : text;
}
