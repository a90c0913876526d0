import type { Money, PlatformName, RuleName } from '@app/mapper';

/** A rule that a change does not keep, in words for people. */
export interface ChangeWarning {
  readonly rule: RuleName;
  /** As the caller knows it: a native path, or the canonical name. */
  readonly field: string;
  readonly message: string;
  /** What the change would come to, and what it may come to at most. */
  readonly amount?: Money;
  readonly limit?: Money;
  /** The platform that would not have it. */
  readonly platform?: PlatformName;
}

/** The same with what decides about its weight. */
export interface BrokenRule extends Omit<ChangeWarning, 'field'> {
  /** The canonical field that the change breaks it by. */
  readonly field: string;
  /**
   * - `breaks`: the change does what the rule forbids;
   * - `moves`: it only puts a record under another one, and no amount and no currency changes;
   * - `unknown`: nobody could say whether it does.
   */
  readonly by: 'breaks' | 'moves' | 'unknown';
}
