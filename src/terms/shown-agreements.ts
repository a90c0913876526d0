import { isPlatformName, levelOf, type PlatformName } from '@app/mapper';
import type { CustomerRate } from './rates/exchange-rates.repository';
import {
  agreedRuleNames,
  isRuleName,
  levelsOf,
  type AgreedLevel,
  type AgreedRuleName,
} from './agreements/agreed-rules';
import type { Agreement } from './agreements/customer-terms.repository';
import type { StoredReason } from './agreements/term-reason';

/** Who agreed, and why, in the public form: the API and the operator's commands show terms alike. */
interface ShownReason {
  readonly reason: string | null;
  readonly decided_by: string | null;
}

/** Whose value counts for a field, as it was agreed; times are ISO 8601. */
export interface ShownPrecedence extends ShownReason {
  readonly entity_type: string;
  readonly field: string;
  readonly platforms: readonly PlatformName[];
  readonly since: string;
}

/** A rule with its level. */
export interface ShownRule extends ShownReason {
  readonly rule: AgreedRuleName;
  readonly level: AgreedLevel;
  /** Null while the rule has its default level. */
  readonly since: string | null;
}

/** A rate that is agreed: one unit of `from` is `rate` units of `to`. */
export interface ShownRate extends ShownReason {
  readonly from: string;
  readonly to: string;
  readonly rate: string;
  readonly set_at: string;
}

/** The precedence that a stored agreement means. Pure. */
export function shownPrecedence({ name, value, since, ...said }: Agreement): ShownPrecedence {
  const [entityType = '', ...members] = name.split('.');
  const field = members.join('.');
  const platforms = Array.isArray(value) ? value.map(String).filter(isPlatformName) : [];
  return { entity_type: entityType, field, platforms, since: since.toISOString(), ...shownReason(said) };
}

/** Every rule with its level, of which some are agreed. Pure. */
export function shownRules(agreed: readonly Agreement[]): readonly ShownRule[] {
  return agreedRuleNames.map((rule) => {
    const set = agreed.find(({ name }) => name === rule);
    const level =
      levelsOf(rule).find((known) => known === set?.value) ?? (isRuleName(rule) ? levelOf(rule, {}) : 'ask');
    return shownRule(rule, level, set);
  });
}

/** A rule with its level. Pure. @param agreed undefined for the default level */
export function shownRule(
  rule: AgreedRuleName,
  level: AgreedLevel,
  agreed: Omit<Agreement, 'name' | 'value'> | undefined,
): ShownRule {
  return { rule, level, since: agreed?.since.toISOString() ?? null, ...shownReason(agreed) };
}

/** A rate that is agreed. Pure. */
export function shownRate({ from, to, rate, setAt, ...said }: CustomerRate): ShownRate {
  return { from, to, rate, set_at: setAt.toISOString(), ...shownReason(said) };
}

function shownReason(said: StoredReason | undefined): ShownReason {
  return { reason: said?.reason ?? null, decided_by: said?.decidedBy ?? null };
}
