import type { Money, PlatformName, RuleName } from '@app/mapper';

/** A rule that a change breaks, described for people. */
export interface ChangeWarning {
  readonly rule: RuleName;
  /** The field's name in the patch: a native path, or the canonical name. */
  readonly field: string;
  readonly message: string;
  /** The amount after the change, and its limit. */
  readonly amount?: Money;
  readonly limit?: Money;
  /** The platform that would refuse the change. */
  readonly platform?: PlatformName;
}

/** A warning with the values that determine its level. */
export interface BrokenRule extends Omit<ChangeWarning, 'field'> {
  /** The canonical field by which the change breaks the rule. */
  readonly field: string;
  /**
   * - `breaks`: the change does what the rule forbids;
   * - `moves`: the change only moves a record to another parent, without a change of amount or currency;
   * - `unknown`: it cannot be determined whether the change breaks the rule.
   */
  readonly by: 'breaks' | 'moves' | 'unknown';
}
