import { inPrecedence, stringifyJson, type ValueTerms } from '@app/mapper';
import { refinedTag } from '../common/request/entity-tag';
import { byObject } from '../records/copy-rows';
import { disagreeingFields } from '../records/disagreeing-values';
import type { RuledOutRecords } from '../matching/decisions/ruled-out.repository';
import { mappingsOf } from '../records/object-version';
import { lastOfEach } from './filtered-page';
import type { ObjectRecordRow } from './object-records';
import { shownObject } from './shown-object';

/** Writes to an object's records that are not decided. */
export interface OpenWrites {
  readonly open: boolean;
  /** Whether one of them waits for a person. */
  readonly held: boolean;
}

/** Why an object has its records, and no others. */
export interface ObjectLinks {
  /** Of its links. */
  readonly evidence: readonly object[];
  /** What people have said its records are not. */
  readonly ruledOut: RuledOutRecords;
}

/** What a single read shows. */
export interface ObjectDetail {
  readonly canonicalId: string;
  /** Another text whenever the version, or what people have ruled out, changes. */
  readonly tag: string;
  /** The whole of it as JSON text. */
  readonly text: string;
}

/**
 * One object with all that is known of it, as JSON text; payloads go out as the very texts that are stored. Pure.
 *
 * @param rows of one object, those of records that are gone included
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
  const ruledOutText = `"ruled_out":${JSON.stringify(ruledOut.records)},"ruled_out_total":${ruledOut.total}`;
  const members = [
    JSON.stringify({ canonical_id: loaded.id, entity_type: loaded.entityType, version }).slice(1, -1),
    `"data":${text}`,
    `"mappings":${JSON.stringify(mappingsOf(there))}`,
    `"records":[${inPrecedence(rows).map(recordText).join(',')}]`,
    `"disagreements":${stringifyJson(disagreeingFields(loaded, disagreements))}`,
    `"evidence":${stringifyJson(evidence)}`,
    ruledOutText,
    `"state":${JSON.stringify({ deleted_at: deletedAt, open, held })}`,
  ];
  const tag = ruledOut.total === 0 ? version : refinedTag(version, ruledOutText);
  return { canonicalId: loaded.id, tag, text: `{${members.join(',')}}` };
}

function recordText({ platform, platform_id, since, payload, gone_at: gone }: ObjectRecordRow): string {
  const head = JSON.stringify({ platform, platform_id, since }).slice(0, -1);
  return `${head},"platform_data":${payload}${gone === null ? '' : `,"deleted_at":${JSON.stringify(gone)}`}}`;
}

const later = (one: string, other: string): string => (one < other ? other : one);
