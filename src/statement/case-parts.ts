import { isMoney, type JsonObject, type JsonValue, type Money, type PlatformName } from '@app/mapper';
import { hash } from 'node:crypto';
import type { ComparedObject } from './comparison';

/**
 * - `disagreement`: two platforms say different things of a field;
 * - `only_on`: one of the two has the object alone;
 * - `ambiguous`: one has it alone, and the other has records with its key;
 * - `unreadable`: a field of a record does not fit, so it stays out of the canonical object, or a linked record has no amount;
 * - `not_comparable`: there is no rate between two amounts, or from one to the currency of the statement.
 */
export const caseKinds = ['disagreement', 'only_on', 'ambiguous', 'unreadable', 'not_comparable'] as const;
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
    leftCurrency: null,
    rightCurrency: null,
    difference: null,
  } as const;
}

/** The names of cases among the open items of their object, by which is told since when. */
export const apartItem = (left: string, right: string): string => `apart ${left} ${right}`;
export const fieldItem = (left: string, right: string, field: string): string =>
  `field ${left} ${right} ${field}`;
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
