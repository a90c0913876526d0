import { isPlatformName, levelOf, type PlatformName } from '@app/mapper';
import { agreedRuleNames, isRuleName, levelsOf, type AgreedLevel, type AgreedRuleName } from './agreed-rules';
import type { Agreement } from './customer-terms.repository';

/** Whose value counts for a field, as it was agreed. */
export interface ShownPrecedence extends Omit<Agreement, 'name' | 'value'> {
  readonly entityType: string;
  readonly field: string;
  readonly platforms: readonly PlatformName[];
}

/** The precedence that a stored agreement means. */
export function shownPrecedence({ name, value, ...agreed }: Agreement): ShownPrecedence {
  const [entityType = '', field = ''] = name.split('.');
  const platforms = Array.isArray(value) ? value.map(String).filter(isPlatformName) : [];
  return { entityType, field, platforms, ...agreed };
}

/** A rule with its level. */
export interface ShownRule {
  readonly rule: AgreedRuleName;
  readonly level: AgreedLevel;
  /** Undefined while the rule has its default level. */
  readonly agreed: Agreement | undefined;
}

/** Every rule with its level, of which some are agreed. */
export function shownRules(agreed: readonly Agreement[]): readonly ShownRule[] {
  return agreedRuleNames.map((rule) => {
    const set = agreed.find(({ name }) => name === rule);
    const level =
      levelsOf(rule).find((known) => known === set?.value) ?? (isRuleName(rule) ? levelOf(rule, {}) : 'ask');
    return { rule, level, agreed: set };
  });
}
