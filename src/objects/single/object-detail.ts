import { inPrecedence, mappingOf, stringifyJson, type ValueTerms } from '@app/mapper';
import { refinedTag } from '../../common/request/entity-tag';
import { byObject } from '../../records/objects/copy-rows';
import { disagreeingFields } from '../../records/objects/disagreeing-values';
import type { RuledOutRecords } from '../../matching/decisions/ruled-out.repository';
import type { LoadedObject } from '../../records/loaded-object';
import { mappingsOf } from '../../records/objects/object-version';
import { lastOfEach } from '../deleted-records';
import type { ObjectRecordRow } from './object-records.repository';
import { shownObject } from '../shown-object';

/** Undecided writes to an object's records. */
export interface OpenWrites {
  readonly open: boolean;
  /** Whether one of them waits for a person. */
  readonly held: boolean;
}

/** Why an object has these records. */
export interface ObjectLinks {
  /** Of its links. */
  readonly evidence: readonly object[];
  /** Records that decisions separate from the object's. */
  readonly ruledOut: RuledOutRecords;
}

/** The content of a single read. */
export interface ObjectDetail {
  readonly canonicalId: string;
  /** Changes whenever the text does. Begins with the version. */
  readonly tag: string;
  /** The complete response as JSON text. */
  readonly text: string;
  /** The members that explain why the object has its records, as JSON text. */
  readonly linksText: () => string;
}

/**
 * One object with all its data, as JSON text. The stored texts of payloads are sent unchanged. Pure.
 *
 * @param rows of one object, including deleted records
 * @returns undefined without rows
 */
export function objectDetail(
  rows: readonly ObjectRecordRow[],
  terms: ValueTerms,
  { open, held }: OpenWrites,
  { evidence, ruledOut }: ObjectLinks,
): ObjectDetail | undefined {
  const there = rows.filter((row) => row.gone_at === null);
  const isThere = there.length > 0;
  const [object] = byObject(isThere ? there : lastOfEach(rows));
  if (object === undefined) return undefined;
  const { loaded, text, disagreements, version } = shownObject(object, terms, isThere);
  const deletedAt = isThere ? null : rows.map(({ gone_at: gone }) => gone ?? '').reduce(later);
  const head = JSON.stringify({ canonical_id: loaded.id, entity_type: loaded.entityType, version }).slice(
    1,
    -1,
  );
  const mappings = `"mappings":${JSON.stringify(mappingsOf(there))}`;
  const links = [
    `"disagreements":${stringifyJson(disagreeingFields(loaded, disagreements, terms.own))}`,
    `"evidence":${stringifyJson(evidence)}`,
    `"ruled_out":${JSON.stringify(ruledOut.records)}`,
    `"ruled_out_total":${ruledOut.total}`,
  ];
  const members = [
    head,
    `"data":${text}`,
    mappings,
    `"records":[${inPrecedence(rows)
      .map((row) => recordText(row, currencyOf(row, loaded)))
      .join(',')}]`,
    ...links,
    `"state":${JSON.stringify({ deleted_at: deletedAt, open, held })}`,
  ];
  const answer = `{${members.join(',')}}`;
  // The version does not cover a record's values for which another record's value counts, such as its lines.
  const tag = refinedTag(version, answer);
  return {
    canonicalId: loaded.id,
    tag,
    text: answer,
    linksText: () => `{${[head, mappings, ...links].join(',')}}`,
  };
}

/** The currency of a present record's amounts as long as it names none itself. */
function currencyOf(
  { platform, entity_type, variant, gone_at: gone }: ObjectRecordRow,
  { copies }: LoadedObject,
): string | undefined {
  const copy = gone === null ? copies.find((one) => one.platform === platform) : undefined;
  return copy && mappingOf(platform, entity_type, { variant }).currencyUnnamedIn(copy.known, copy);
}

function recordText(
  { platform, platform_id, since, payload, gone_at: gone }: ObjectRecordRow,
  currency: string | undefined,
): string {
  const head = JSON.stringify({ platform, platform_id, since, currency }).slice(0, -1);
  return `${head},"platform_data":${payload}${gone === null ? '' : `,"deleted_at":${JSON.stringify(gone)}`}}`;
}

const later = (one: string, other: string): string => (one < other ? other : one);
