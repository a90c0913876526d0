import {
  creationLevels,
  ruleLevels,
  ruleNames,
  type CreationLevel,
  type RuleLevel,
  type RuleName,
} from '@app/mapper';

/** The rules whose level a customer may agree on: those that changes are checked against, and `create_missing`. */
export const agreedRuleNames = [...ruleNames, 'create_missing'] as const;
export type AgreedRuleName = (typeof agreedRuleNames)[number];

/** The levels of all rules. */
export const agreedLevels = [...ruleLevels, ...creationLevels] as const;
export type AgreedLevel = RuleLevel | CreationLevel;

/** The levels of one rule. */
export function levelsOf(rule: AgreedRuleName): readonly AgreedLevel[] {
  return rule === 'create_missing' ? creationLevels : ruleLevels;
}

/** Why a rule cannot have a level, as a message; undefined if it can. */
export function problemOfLevel(rule: AgreedRuleName, level: AgreedLevel): string | undefined {
  const levels = levelsOf(rule);
  return levels.includes(level) ? undefined : `level of ${rule} must be one of ${levels.join(', ')}`;
}

export function isRuleName(rule: AgreedRuleName): rule is RuleName {
  return rule !== 'create_missing';
}
