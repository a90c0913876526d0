import type { components, Rule } from '@app/client';

type Level = components['schemas']['Rule']['level'];

/** What each rule is about: what a change does that breaks it, or when records are created. */
export const ruleWords: Readonly<Record<Rule, string>> = {
  paid_above_billed: 'Payments of an invoice above its amount',
  billed_above_contract: 'Invoices of a contract, without tax, above its amount with the approved changes',
  currency_unlike_contract: 'A record in another currency than its contract',
  locked_on_platform: 'A write into what a platform has locked',
  create_missing: 'Records that a connected platform lacks',
};

/** What becomes of a change, by the level of its rule. */
export const levelWords: Readonly<Record<Level, string>> = {
  refuse: 'Refused',
  warn: 'Made, with a warning',
  off: 'Made, without a word',
  ask: 'Contracts, invoices and payments are created where the change asks for it; others unless it says no',
  always: 'Created, unless a change says no',
  never: 'Never created, whatever a change says',
};

const breaking = ['refuse', 'warn', 'off'] as const satisfies readonly Level[];
const creating = ['ask', 'always', 'never'] as const satisfies readonly Level[];

/** The levels that a rule may have. */
export function levelsOf(rule: Rule): readonly Level[] {
  return rule === 'create_missing' ? creating : breaking;
}

/** Whose value counts first: `platform_b, then platform_a`. Platforms that are not named follow in the default order. */
export function orderText(named: readonly string[], byDefault: readonly string[]): string {
  return [...named, ...byDefault.filter((platform) => !named.includes(platform))].join(', then ');
}
