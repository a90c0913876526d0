import { ruleLevels } from '@app/mapper';
import { Option, type Command } from 'commander';
import {
  agreedLevels,
  agreedRuleNames,
  levelsOf,
  problemOfLevel,
  type AgreedLevel,
  type AgreedRuleName,
} from '../../terms/agreements/agreed-rules';
import { shownRules } from '../../terms/shown-agreements';
import type { Access } from '../operator';
import {
  customerOption,
  deciderOption,
  jsonOption,
  reasonOption,
  type OfCustomer,
  type Reasoned,
} from '../options';
import type { Output } from '../output';
import { table } from '../table';

interface RuleSetting extends OfCustomer, Reasoned {
  readonly rule: AgreedRuleName;
  readonly level: AgreedLevel;
}

export function addRules(root: Command, { operate }: Access, output: Output): void {
  const group = root
    .command('rules')
    .description('Rules that changes are checked against before they are written');

  group
    .command('set')
    .description('Set how changes that break a rule are treated, and whether changes create missing records')
    .addOption(customerOption())
    .addOption(ruleOption())
    .addOption(
      new Option(
        '--level <level>',
        `${ruleLevels.join(', ')}; of create_missing: ${levelsOf('create_missing').join(', ')}`,
      )
        .choices([...agreedLevels])
        .makeOptionMandatory(),
    )
    .addOption(reasonOption())
    .addOption(deciderOption())
    .addOption(jsonOption())
    .action(async ({ customer, rule, level, json, ...why }: RuleSetting, command: Command) => {
      if (problemOfLevel(rule, level) !== undefined) {
        command.error(`error: --level ${level}: expected one of ${levelsOf(rule).join(', ')} for ${rule}`);
      }
      await operate(({ agreements }) => agreements.setRule(customer, rule, level, why));
      if (json) return output.json({ customer_id: customer, rule, level });
      output.out(`${rule}: ${level}\n`);
    });

  group
    .command('clear')
    .description('Go back to the default level of a rule')
    .addOption(customerOption())
    .addOption(ruleOption())
    .addOption(reasonOption())
    .addOption(deciderOption())
    .addOption(jsonOption())
    .action(async ({ customer, rule, json, ...why }: Omit<RuleSetting, 'level'>) => {
      await operate(({ agreements }) => agreements.clearRule(customer, rule, why));
      if (json) return output.json({ customer_id: customer, rule, cleared: true });
      output.out(`${rule}: the default level\n`);
    });

  group
    .command('list')
    .description('List the rules and their levels for a customer')
    .addOption(customerOption())
    .addOption(jsonOption())
    .action(async ({ customer, json }: OfCustomer) => {
      const agreed = await operate(({ agreements }) => agreements.list(customer, 'rule'));
      const rows = shownRules(agreed);
      if (json) return output.json({ customer_id: customer, rules: rows });
      output.out(table(['rule', 'level', 'since', 'decided_by', 'reason'], rows));
    });
}

function ruleOption(): Option {
  return new Option('--rule <name>', 'name of the rule').choices([...agreedRuleNames]).makeOptionMandatory();
}
