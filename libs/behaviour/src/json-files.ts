import { readFileSync } from 'node:fs';
import {
  isJsonArray,
  isJsonObject,
  ownMember,
  parseJsonText,
  type JsonObject,
  type JsonValue,
  type StoredEntityType,
} from '@app/mapper';
import type { PortfolioRecord } from './behaviour';

/** One file of a portfolio: a JSON array of the records of one resource. */
export interface PortfolioFile {
  readonly path: string;
  readonly entityType: StoredEntityType;
  readonly variant?: string;
}

/** Reads a portfolio at its first use and keeps it. Numbers keep every digit. */
export function portfolioFrom(files: readonly PortfolioFile[]): () => readonly PortfolioRecord[] {
  let records: readonly PortfolioRecord[] | undefined;
  return () => (records ??= files.flatMap(recordsOf));
}

function recordsOf({ path, entityType, variant }: PortfolioFile): readonly PortfolioRecord[] {
  const value = read(path);
  if (!isJsonArray(value) || !value.every(isJsonObject)) throw new Error(`${path} holds no list of records`);
  return value.map((payload) => ({ entityType, variant: variant ?? null, payload }));
}

/** Reads, at the first use, what a platform shows for a record of each type that has no values yet. */
export function newRecordsFrom(path: string): (entityType: StoredEntityType) => JsonObject {
  let records: JsonObject | undefined;
  return (entityType) => {
    records ??= objectIn(path);
    const record = ownMember(records, entityType);
    if (!isJsonObject(record)) throw new Error(`${path} holds no new ${entityType}`);
    return record;
  };
}

function objectIn(path: string): JsonObject {
  const value = read(path);
  if (!isJsonObject(value)) throw new Error(`${path} holds no JSON object`);
  return value;
}

function read(path: string): JsonValue {
  return parseJsonText(readFileSync(path, 'utf8'));
}
