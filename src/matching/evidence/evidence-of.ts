import type { StoredEntityType } from '@app/mapper';
import type { CustomerTransaction } from '../../database/transaction/store';
import { isSame, ruleBehind, whyNot, type LinkedRecord, type LinkEvidence, type LinkMaker } from './evidence';
import {
  decisionOf,
  decisionsThen,
  groupedThen,
  joinedRecords,
  recordsThen,
  sameKeysThen,
  type DecisionThen,
  type JoinedRow,
} from './evidence.repository';

/**
 * Why the records of an object are linked: for each record that joined the object after the first one, the reason of
 * the link and the rejected candidates. None of this is stored. It is derived from the versions of the records at the
 * time when each record joined, so it shows what was known then. It takes a few short reads for each link; an object
 * has one record of a platform at most.
 *
 * @param canonicalId of the object itself, no alias
 * @param asOf the time of the answer, as the database reads it; by default now
 * @returns the links in the order in which they were made; none for an object with one record or none
 */
export async function evidenceOf(
  tx: CustomerTransaction,
  canonicalId: string,
  asOf = 'infinity',
): Promise<readonly LinkEvidence[]> {
  const rows = await joinedRecords(tx, canonicalId, asOf);
  const [first] = rows;
  if (first === undefined || rows.length < 2) return [];
  const entityType = first.entity_type;
  const standing = await decisionsThen(tx, entityType, asOf, rows);
  const links: LinkEvidence[] = [];
  for (const [place, row] of rows.entries()) {
    if (place > 0) {
      const object = { canonicalId, entityType, records: rows.slice(0, place + 1), standing };
      links.push(await linkOf(tx, row, object));
    }
  }
  return links;
}

/** The object that a record joined. */
interface JoinedObject {
  readonly canonicalId: string;
  readonly entityType: StoredEntityType;
  /** The records that belonged to it then, the one that joined among them. */
  readonly records: readonly JoinedRow[];
  /** Decisions about its records that stand. */
  readonly standing: readonly DecisionThen[];
}

async function linkOf(
  tx: CustomerTransaction,
  row: JoinedRow,
  { canonicalId, entityType, records, standing }: JoinedObject,
): Promise<LinkEvidence> {
  const then = await recordsThen(tx, entityType, row.since, records);
  const [same, grouped] = await Promise.all([
    sameKeysThen(tx, entityType, row.since, then, canonicalId),
    groupedThen(tx, entityType, row.since, then),
  ]);
  const isAsked = standing.length > 0 || same.others.length > 0;
  const known = isAsked ? await decisionsThen(tx, entityType, row.since, records) : [];
  // A decision that was made later about linked records did not link them.
  const decided = standing.find(
    (decision) =>
      decision.decision === 'link' &&
      known.some((one) => one.decision === 'link' && samePair(one, decision)) &&
      concerns(decision, row) &&
      records.some((one) => one !== row && concerns(decision, one)),
  );
  const created = row.origin === 'propagation' || row.origin === 'outcome';
  const ruled = ruleBehind(row, grouped);
  const rule = decided !== undefined ? 'decision' : created ? 'created' : (ruled?.rule ?? null);
  const isByRule = decided === undefined && !created && ruled !== undefined;
  const parents = isByRule ? ruled.parents : [];
  return {
    records: records.map(({ platform, platform_id }) => ({ platform, platform_id })),
    rule,
    rule_version: isByRule ? row.rule_version : null,
    keys: records.flatMap((record) => {
      const one = then.find((keyed) => isSame(keyed, record));
      return one?.business_key == null
        ? []
        : [{ platform: one.platform, normalised: one.business_key, written: one.number ?? '' }];
    }),
    parents,
    candidates: same.others.map((candidate) => ({
      platform: candidate.platform,
      platform_id: candidate.platform_id,
      canonical_id: candidate.canonical_id,
      why: whyNot(
        candidate,
        then.map(({ parent }) => parent),
        known.some(({ decision, ...pair }) => decision === 'not_same' && concerns(pair, candidate)),
      ),
    })),
    more_candidates: same.more,
    linked_at: row.origin === null ? null : isoTime(row.since),
    by: decided === undefined ? await makerOf(tx, row) : byDecision(decided),
  };
}

async function makerOf(tx: CustomerTransaction, row: JoinedRow): Promise<LinkMaker | null> {
  switch (row.origin) {
    case 'run':
      return row.change_id === null ? null : { run_id: row.change_id };
    case 'propagation':
    case 'outcome':
      return row.propagation_id === null
        ? null
        : { propagation_id: row.propagation_id, request_id: row.request_id };
    case 'decision': {
      const decision =
        row.decision_id === null ? undefined : await decisionOf(tx, row.decision_id, row.since);
      return decision === undefined ? null : byDecision(decision);
    }
    default:
      return null;
  }
}

function byDecision({
  id,
  decided_by,
  reason,
}: Pick<DecisionThen, 'id' | 'decided_by' | 'reason'>): LinkMaker {
  return { decision_id: id, decided_by, reason };
}

function concerns(
  decision: Pick<DecisionThen, 'platform' | 'platform_id' | 'other_platform' | 'other_platform_id'>,
  record: LinkedRecord,
): boolean {
  return (
    isSame(decision, record) ||
    isSame({ platform: decision.other_platform, platform_id: decision.other_platform_id }, record)
  );
}

/** Whether two decisions are about the same records: one may have been made again, see `SourceChanges`. */
function samePair(one: DecisionThen, other: DecisionThen): boolean {
  return (
    isSame(one, other) &&
    one.other_platform === other.other_platform &&
    one.other_platform_id === other.other_platform_id
  );
}

/** A time as the database writes it, with milliseconds. */
function isoTime(text: string): string {
  return new Date(text.replace(' ', 'T').replace(/([+-]\d\d)$/, '$1:00')).toISOString();
}
