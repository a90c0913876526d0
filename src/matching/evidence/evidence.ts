import type { PlatformName } from '@app/mapper';
import { groupNameOf } from '../rule/key-groups.sql';

/** Candidates that an answer names for one link. */
export const MOST_CANDIDATES = 20;

/**
 * Why a record belongs to its object:
 * - `unique_key`: its key occurred once on its platform, and once on the platform of another record;
 * - `key_in_parent`: its key occurred once under its parent, and so did the key of another record under the same
 *   parent;
 * - `decision`: a person decided it;
 * - `created`: a change through this service created the record there.
 */
export type LinkRule = 'unique_key' | 'key_in_parent' | 'decision' | 'created';

/**
 * Why a record with the same key was not linked:
 * - `ruled_out`: a person decided that it is another object;
 * - `other_parent`: it had another parent; `no_parent`: it had no parent;
 * - `repeats`: several records had its key and parent, or another record had its place in the object.
 */
export type RejectionReason = 'ruled_out' | 'other_parent' | 'no_parent' | 'repeats';

/** A record, by platform and native ID. */
export interface LinkedRecord {
  readonly platform: PlatformName;
  readonly platform_id: string;
}

/** A record that had a key of the link too. */
export interface Candidate extends LinkedRecord {
  /** Its object at the time. */
  readonly canonical_id: string;
  readonly why: RejectionReason;
}

/** What made a link. */
export type LinkMaker =
  | { readonly run_id: string }
  | { readonly decision_id: string; readonly decided_by: string; readonly reason: string }
  | { readonly propagation_id: string; readonly request_id: string | null };

/** One link of an object: the record that joined it, after those that were there. */
export interface LinkEvidence {
  /** The record that joined comes last. */
  readonly records: readonly LinkedRecord[];
  /** Null if the remaining history does not show it. */
  readonly rule: LinkRule | null;
  /** Version of the matching rule; null if no rule decided, or if the version is not known. */
  readonly rule_version: number | null;
  /** Keys at the time: as they are compared, and as each platform writes them. */
  readonly keys: readonly {
    readonly platform: PlatformName;
    readonly normalised: string;
    readonly written: string;
  }[];
  /** Canonical IDs of the parents that decided among equal keys. */
  readonly parents: readonly string[];
  readonly candidates: readonly Candidate[];
  /** How many more there were. */
  readonly more_candidates: number;
  /** When the record joined, in ISO 8601; null for a link from before changes were kept. */
  readonly linked_at: string | null;
  /** Null for a link from before changes were kept. */
  readonly by: LinkMaker | null;
}

/** A record at the time of a link. */
export interface KeyedRecord extends LinkedRecord {
  readonly canonical_id: string;
  readonly business_key: string | null;
  readonly number: string | null;
  readonly parent: string | null;
}

/** A record at the time of a link that belonged to a group of the rule of keys, see `keyGroups`. */
export interface GroupedRecord extends LinkedRecord {
  readonly business_key: string;
  readonly parent: string | null;
  readonly parent_key: string;
  readonly is_unique: boolean;
}

/** Whether both name one record. */
export function isSame(one: LinkedRecord, other: LinkedRecord): boolean {
  return one.platform === other.platform && one.platform_id === other.platform_id;
}

/**
 * The matching rule's reason for a record that joined an object: the key alone put it into the group of another record,
 * or key and parents did. Pure.
 *
 * @param grouped the records of the object that belonged to a group at the time
 */
export function ruleBehind(
  joined: LinkedRecord,
  grouped: readonly GroupedRecord[],
): { readonly rule: 'unique_key' | 'key_in_parent'; readonly parents: readonly string[] } | undefined {
  const own = grouped.find((one) => isSame(one, joined));
  if (own === undefined) return undefined;
  const partners = grouped.filter((one) => one !== own && groupNameOf(one) === groupNameOf(own));
  if (partners.length === 0) return undefined;
  if (own.parent_key !== '') return { rule: 'key_in_parent', parents: [own.parent_key] };
  if (own.is_unique && partners.some((one) => one.is_unique)) return { rule: 'unique_key', parents: [] };
  const parents = [own, ...partners].flatMap(({ is_unique: isUnique, parent }) =>
    isUnique || parent === null ? [] : [parent],
  );
  return { rule: 'key_in_parent', parents: [...new Set(parents)] };
}

/** Why a record with the same key was not linked. Pure. */
export function whyNot(
  candidate: KeyedRecord,
  parents: readonly (string | null)[],
  isRuledOut: boolean,
): RejectionReason {
  if (isRuledOut) return 'ruled_out';
  if (candidate.parent === null) return parents.some((parent) => parent !== null) ? 'no_parent' : 'repeats';
  return parents.includes(candidate.parent) ? 'repeats' : 'other_parent';
}
