import { levelOf, ruleLevels, ruleNames, type RuleLevel, type RuleName } from '@app/mapper';
import { Option, type Command } from 'commander';
import type { Access } from '../operator';
import { customerOption, jsonOption, type OfCustomer } from '../options';
import type { Output } from '../output';
import { table } from '../table';

interface RuleSetting extends OfCustomer {
  readonly rule: RuleName;
  readonly level: RuleLevel;
}

export function addRules(root: Command, { operate }: Access, output: Output): void {
  const group = root
    .command('rules')
    .description('Rules that changes are checked against before they are written');

  group
    .command('set')
    .description('Refuse changes that break a rule, make them with a warning, or make them silently')
    .addOption(customerOption())
    .addOption(new Option('--rule <name>', 'name of the rule').choices([...ruleNames]).makeOptionMandatory())
    .addOption(
      new Option('--level <level>', 'the treatment of such a change')
        .choices([...ruleLevels])
        .makeOptionMandatory(),
    )
    .addOption(jsonOption())
    .action(async ({ customer, rule, level, json }: RuleSetting) => {
      await operate(({ agreements }) => agreements.setRule(customer, rule, level));
      if (json) return output.json({ customer_id: customer, rule, level });
      output.out(`${rule}: ${level}\n`);
    });

  group
    .command('list')
    .description('List the rules and their levels for a customer')
    .addOption(customerOption())
    .addOption(jsonOption())
    .action(async ({ customer, json }: OfCustomer) => {
      const agreed = await operate(({ agreements }) => agreements.list(customer, 'rule'));
      const rows = ruleNames.map((rule) => {
        const set = agreed.find(({ name }) => name === rule);
        const level = ruleLevels.find((known) => known === set?.value) ?? levelOf(rule, {});
        return { rule, level, since: set?.since.toISOString() ?? null };
      });
      if (json) return output.json({ customer_id: customer, rules: rows });
      output.out(table(['rule', 'level', 'since'], rows));
    });
}
