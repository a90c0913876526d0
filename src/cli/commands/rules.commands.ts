import {
  creationLevels,
  levelOf,
  ruleLevels,
  ruleNames,
  type CreationLevel,
  type RuleLevel,
  type RuleName,
} from '@app/mapper';
import { Option, type Command } from 'commander';
import type { AgreementsService } from '../../terms/agreements/agreements.service';
import type { Access } from '../operator';
import { customerOption, jsonOption, type OfCustomer } from '../options';
import type { Output } from '../output';
import { table } from '../table';

const CREATION = 'create_missing';

interface RuleSetting extends OfCustomer {
  readonly rule: RuleName | typeof CREATION;
  readonly level: RuleLevel | CreationLevel;
}

export function addRules(root: Command, { operate }: Access, output: Output): void {
  const group = root
    .command('rules')
    .description('Rules that changes are checked against before they are written');

  group
    .command('set')
    .description('Say what becomes of changes that break a rule, and whether changes create missing records')
    .addOption(customerOption())
    .addOption(
      new Option('--rule <name>', 'name of the rule').choices([...ruleNames, CREATION]).makeOptionMandatory(),
    )
    .addOption(
      new Option('--level <level>', `${ruleLevels.join(', ')}; of ${CREATION}: ${creationLevels.join(', ')}`)
        .choices([...ruleLevels, ...creationLevels])
        .makeOptionMandatory(),
    )
    .addOption(jsonOption())
    .action(async (setting: RuleSetting, command: Command) => {
      const { customer, rule, level, json } = setting;
      const set = setter(setting, command);
      await operate(({ agreements }) => set(agreements));
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
      const rowOf = (rule: string, levels: readonly string[], usual: string) => {
        const set = agreed.find(({ name }) => name === rule);
        const level = levels.find((known) => known === set?.value) ?? usual;
        return { rule, level, since: set?.since.toISOString() ?? null };
      };
      const rows = [
        ...ruleNames.map((rule) => rowOf(rule, ruleLevels, levelOf(rule, {}))),
        rowOf(CREATION, creationLevels, 'ask'),
      ];
      if (json) return output.json({ customer_id: customer, rules: rows });
      output.out(table(['rule', 'level', 'since'], rows));
    });
}

/** Sets the rule, once its level is found to be one of its own. */
function setter(
  { customer, rule, level: named }: RuleSetting,
  command: Command,
): (agreements: AgreementsService) => Promise<void> {
  if (rule === CREATION) {
    const level = levelIn(creationLevels, rule, named, command);
    return (agreements) => agreements.setCreation(customer, level);
  }
  const level = levelIn(ruleLevels, rule, named, command);
  return (agreements) => agreements.setRule(customer, rule, level);
}

function levelIn<Level extends string>(
  levels: readonly Level[],
  rule: string,
  named: string,
  command: Command,
): Level {
  const level = levels.find((known) => known === named);
  return level ?? command.error(`error: --level ${named}: expected one of ${levels.join(', ')} for ${rule}`);
}
