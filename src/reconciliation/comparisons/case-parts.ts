import { isMoney, type JsonObject, type JsonValue, type Money, type PlatformName } from '@app/mapper';
import { hash } from 'node:crypto';
import type { CaseKind } from '../../records/events/case-kinds';
import { projectOn } from '../../records/objects/project-of-record';
import { hasTwoProjects, type ComparedObject, type PairComparison } from './comparison';

/** Whether a case is to be looked at, is left as it is by a person's decision, or is settled. */
export const caseStates = ['open', 'accepted', 'closed'] as const;
export type CaseState = (typeof caseStates)[number];

/**
 * The causes for which a case was closed: a change through this service, a decision of a person, a reading of a
 * platform, the end of a record, or a change of terms.
 */
export const closedBys = ['propagation', 'decision', 'run', 'record_gone', 'terms'] as const;
export type ClosedBy = (typeof closedBys)[number];

/** A case, as it is stored. */
export interface Case {
  readonly id: string;
  /** Names the case among the open items of its object. */
  readonly item: string;
  readonly left: PlatformName;
  readonly right: PlatformName;
  readonly kind: CaseKind;
  /** The record of the case, if the case concerns a single record. */
  readonly platform: PlatformName | null;
  readonly platformId: string | null;
  readonly field: string | null;
  /** Canonical ID of the project under which it is listed. */
  readonly projectId: string | null;
  readonly leftCurrency: string | null;
  readonly rightCurrency: string | null;
  /**
   * Its contribution to the difference between the left and the right sum, in minor units of the statement's usual
   * currency.
   */
  readonly difference: bigint | null;
  /** Days of its record, `YYYY-MM-DD`; of two, of the first that has one. */
  readonly documentDate: string | null;
  readonly dueDate: string | null;
  /** A list of documents up to a day has the case if the day is not before this one; null for any day. */
  readonly listedFrom: string | null;
  /**
   * A list of documents up to a day has the case if the day is before this one; null for any day. A list of all
   * documents has only cases without it.
   */
  readonly listedBefore: string | null;
  readonly detail: JsonObject;
  /** See `valuesDigestOf`. */
  readonly valuesDigest: string;
}

/** A case before the dates of its records are known. */
export type UndatedCase = Omit<
  Case,
  'documentDate' | 'dueDate' | 'listedFrom' | 'listedBefore' | 'valuesDigest'
> & {
  /** The amounts that the case is about, in their own currencies, if its detail has none of them. */
  readonly amounts?: JsonValue;
  /** What the record has in a field that cannot be read. */
  readonly native?: JsonValue;
};

/** An object, with the data of its records for its cases. */
export interface ObjectOfCases extends ComparedObject {
  /** The key of each record as the record has it. */
  readonly numbers: ReadonlyMap<PlatformName, string>;
  /** Canonical ID of the company that each record is with; no entry for a record that names none. */
  readonly counterparties: ReadonlyMap<PlatformName, string>;
}

/** A case of one record, without its distinguishing values. */
export function ofRecord(object: ObjectOfCases, kind: CaseKind, platform: PlatformName, field: string) {
  return {
    kind,
    field,
    platform,
    platformId: idOn(object, platform),
    left: platform,
    right: platform,
    projectId: projectOn(object.projects, platform),
    leftCurrency: null,
    rightCurrency: null,
    difference: null,
  } as const;
}

/** The names of cases among the open items of their object, by which the time of opening is determined. */
export const apartItem = (left: string, right: string): string => `apart ${left} ${right}`;
export const fieldItem = (left: string, right: string, field: string): string =>
  `field ${left} ${right} ${field}`;
export const projectItem = (left: string, right: string): string => `project ${left} ${right}`;
export const unreadableItem = (platform: string, path: string): string => `unreadable ${platform} ${path}`;
export const unconvertedItem = (platform: string): string => `unconverted ${platform}`;
export const datesItem = (left: string, right: string): string => `dates ${left} ${right}`;
export const amountItem = (left: string, right: string): string => `amount ${left} ${right}`;

const itemsOfTwo = /^(?:amount|dates|field|project) /;

/** Whether an item of this name is between two records, so that none of them has it alone. */
export const isOfTwoRecords = (item: string): boolean => itemsOfTwo.test(item);

/** The ID of a case, which stays the same while the case is open. */
export function idOf(...parts: readonly string[]): string {
  return `case_${hash('sha256', JSON.stringify(parts), 'hex').slice(0, 32)}`;
}

/** What a list by amount sorts a case by. Cases without a difference come last. */
export function weightOf(difference: bigint | null): string {
  if (difference === null) return '-1';
  return String(difference < 0n ? -difference : difference);
}

/** The native ID of an object's record. @throws Error without one */
export function idOn({ copies }: ComparedObject, platform: PlatformName): string {
  const copy = copies.find((one) => one.platform === platform);
  if (copy === undefined) throw new Error(`An object without a record on ${platform} has a case there`);
  return copy.platformId;
}

/** The project under which a case of two records is listed: that of the record with precedence. */
export function projectOfPair({ leftProject, rightProject }: PairComparison): string | null {
  return leftProject ?? rightProject;
}

/** The projects in a case of two records; empty unless they differ. */
export function projectsOf(pair: PairComparison): JsonObject {
  if (!hasTwoProjects(pair)) return {};
  return { projects: { [pair.left]: pair.leftProject, [pair.right]: pair.rightProject } };
}

/** The records of an object on some platforms, as a case contains them. */
export function recordsOf({ copies }: ComparedObject, platforms: readonly PlatformName[]): JsonValue {
  return copies
    .filter(({ platform }) => platforms.includes(platform))
    .map(({ platform, platformId }) => ({ platform, platform_id: platformId }));
}

/** A value as money; undefined if it is not money. */
export function moneyIn(value: JsonValue): Money | undefined {
  return isMoney(value) ? value : undefined;
}

/** Money as a case shows it. */
export function jsonOf(amount: Money | null): JsonValue {
  return amount === null ? null : { amount: amount.amount, currency: amount.currency };
}
