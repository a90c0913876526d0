import { isJsonArray, isJsonObject, ownMember, type JsonObject, type JsonValue } from '@app/mapper';
import { digestOfJson } from '../digest';
import type { UndatedCase } from '../case-parts';

/** Characters of a digest: 128 bits. */
const DIGEST_LENGTH = 32;

/**
 * A digest of the values on both sides of a case. An acceptance holds while the digest stays the same; callers know it
 * as the `version` of the case. It contains canonical values without their spelling, and of a value that cannot be read
 * the native one, because different values have the same problem. It contains neither the value that stands nor rates,
 * because these can change while both sides keep their values. For a case about a whole record it contains the record's
 * key, amount, project and date. Pure.
 *
 * @param laterDate of the linked record, if the case is that the two have different dates
 */
export function valuesDigestOf(
  { kind, field, projectId, difference, detail, amounts, native }: UndatedCase,
  documentDate: string | null,
  laterDate?: string | null,
): string {
  const values = ownMember(detail, 'values');
  const amount = ownMember(detail, 'amount');
  const isWholeRecord = field === null || kind === 'other_project';
  return digestOfJson({
    kind,
    records: ownMember(detail, 'records'),
    values: isJsonObject(values) ? canonicalOf(values) : undefined,
    amount,
    problem: ownMember(detail, 'problem'),
    candidates: candidatesOf(ownMember(detail, 'candidates')),
    amounts,
    native,
    difference:
      values === undefined && amount === undefined && amounts === undefined ? String(difference) : undefined,
    ...(isWholeRecord && { number: ownMember(detail, 'number'), projectId, documentDate }),
    laterDate,
    projects: kind === 'other_project' ? ownMember(detail, 'projects') : undefined,
  }).slice(-DIGEST_LENGTH);
}

function canonicalOf(values: JsonObject): JsonValue {
  return Object.fromEntries(
    Object.entries(values).map(([platform, value]) => [
      platform,
      (isJsonObject(value) ? ownMember(value, 'canonical') : undefined) ?? null,
    ]),
  );
}

/** Candidates by their records: their objects and links change without a change of the candidates. */
function candidatesOf(candidates: JsonValue | undefined): JsonValue | undefined {
  if (!isJsonArray(candidates)) return undefined;
  return candidates
    .filter((one) => isJsonObject(one))
    .map((one) => `${textOf(one, 'platform')} ${textOf(one, 'platform_id')}`)
    .toSorted();
}

function textOf(value: JsonObject, name: string): string {
  const text = ownMember(value, name);
  return typeof text === 'string' ? text : '';
}
