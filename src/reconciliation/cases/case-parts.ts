import {
  isMoney,
  platformNames,
  type JsonObject,
  type JsonValue,
  type Money,
  type PlatformName,
} from '@app/mapper';
import { hash } from 'node:crypto';
import { hasTwoProjects, type ComparedObject, type PairComparison } from '../comparisons/comparison';

/**
 * - `disagreement`: two platforms say different things of a field;
 * - `only_on`: one of the two has the object alone;
 * - `ambiguous`: one has it alone, and the other has records with its key;
 * - `other_project`: a record belongs to another project than the one that is linked to it;
 * - `unreadable`: a field of a record does not fit, so it stays out of the canonical object, or a linked record has no amount;
 * - `not_comparable`: there is no rate between two amounts, or from one to the currency of the statement, or the currency of one
 *   is not known.
 */
export const caseKinds = [
  'disagreement',
  'only_on',
  'ambiguous',
  'other_project',
  'unreadable',
  'not_comparable',
] as const;
export type CaseKind = (typeof caseKinds)[number];

/** A case, as it is stored. */
export interface Case {
  readonly id: string;
  /** Names the case among the open items of its object. */
  readonly item: string;
  readonly left: PlatformName;
  readonly right: PlatformName;
  readonly kind: CaseKind;
  /** The record that the case is about, where it is about one. */
  readonly platform: PlatformName | null;
  readonly platformId: string | null;
  readonly field: string | null;
  /** Canonical ID of the project that it is listed with. */
  readonly projectId: string | null;
  readonly leftCurrency: string | null;
  readonly rightCurrency: string | null;
  /** What it adds on the way from the left sum to the right one, in minor units of the statement's usual currency. */
  readonly difference: bigint | null;
  readonly detail: JsonObject;
}

/** An object, with what its cases show of its records. */
export interface ObjectOfCases extends ComparedObject {
  /** The key of each record as the record has it. */
  readonly numbers: ReadonlyMap<PlatformName, string>;
}

/** A case about one record, without what tells it from others. */
export function ofRecord(object: ObjectOfCases, kind: CaseKind, platform: PlatformName, field: string) {
  return {
    kind,
    field,
    platform,
    platformId: idOn(object, platform),
    left: platform,
    right: platform,
    projectId: projectOn(object, platform),
    leftCurrency: null,
    rightCurrency: null,
    difference: null,
  } as const;
}

/** The names of cases among the open items of their object, by which is told since when. */
export const apartItem = (left: string, right: string): string => `apart ${left} ${right}`;
export const fieldItem = (left: string, right: string, field: string): string =>
  `field ${left} ${right} ${field}`;
export const projectItem = (left: string, right: string): string => `project ${left} ${right}`;
export const unreadableItem = (platform: string, path: string): string => `unreadable ${platform} ${path}`;
export const unconvertedItem = (platform: string): string => `unconverted ${platform}`;
export const amountItem = (left: string, right: string): string => `amount ${left} ${right}`;

/** The ID of a case: the same as long as it is open. */
export function idOf(...parts: readonly string[]): string {
  return `case_${hash('sha256', JSON.stringify(parts), 'hex').slice(0, 32)}`;
}

/** The native ID of an object's record. @throws Error without one */
export function idOn({ copies }: ComparedObject, platform: PlatformName): string {
  const copy = copies.find((one) => one.platform === platform);
  if (copy === undefined) throw new Error(`An object without a record on ${platform} has a case there`);
  return copy.platformId;
}

/** The project in which an object's record counts. */
function projectOn({ projects }: ComparedObject, platform: PlatformName): string | null {
  if (projects.has(platform)) return projects.get(platform) ?? null;
  const [first] = platformNames.filter((one) => projects.has(one));
  return (first && projects.get(first)) ?? null;
}

/** The project with which a case of two records is listed: that of the one that takes precedence. */
export function projectOfPair({ leftProject, rightProject }: PairComparison): string | null {
  return leftProject ?? rightProject;
}

/** What a case of two records says of their projects: nothing unless these differ. */
export function projectsOf(pair: PairComparison): JsonObject {
  if (!hasTwoProjects(pair)) return {};
  return { projects: { [pair.left]: pair.leftProject, [pair.right]: pair.rightProject } };
}

/** The records of an object on some platforms, as a case shows them. */
export function recordsOf({ copies }: ComparedObject, platforms: readonly PlatformName[]): JsonValue {
  return copies
    .filter(({ platform }) => platforms.includes(platform))
    .map(({ platform, platformId }) => ({ platform, platform_id: platformId }));
}

/** A value as money; undefined where it is none. */
export function moneyIn(value: JsonValue): Money | undefined {
  return isMoney(value) ? value : undefined;
}

/** Money as a case shows it. */
export function jsonOf(amount: Money | null): JsonValue {
  return amount === null ? null : { amount: amount.amount, currency: amount.currency };
}
