import {
  isPlatformName,
  platformNames,
  problemOfPrecedence,
  storedEntityTypes,
  type StoredEntityType,
} from '@app/mapper';
import { Option, type Command } from 'commander';
import { shownPrecedence } from '../../terms/shown-agreements';
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

interface OfField extends OfCustomer, Reasoned {
  readonly entityType: StoredEntityType;
  readonly field: string;
}

export function addPrecedence(root: Command, { operate }: Access, output: Output): void {
  const group = root
    .command('precedence')
    .description('Agreements with customers on whose value counts for a field where platforms differ');

  group
    .command('set')
    .description('Give some platforms precedence for a field; the others follow in the default order')
    .addOption(customerOption())
    .addOption(entityTypeOption())
    .addOption(fieldOption())
    .requiredOption('--platforms <names>', `platforms in order, with commas: ${platformNames.join(',')}`)
    .addOption(reasonOption())
    .addOption(deciderOption())
    .addOption(jsonOption())
    .action(
      async (
        { customer, entityType, field, platforms, json, ...why }: OfField & { platforms: string },
        command: Command,
      ) => {
        const named = platforms.split(',').map((name) => name.trim());
        const order = named.filter(isPlatformName);
        refuse(command, problemOfPrecedence(entityType, field, named));
        await operate(({ agreements }) => agreements.setPrecedence(customer, entityType, field, order, why));
        if (json) {
          return output.json({ customer_id: customer, entity_type: entityType, field, platforms: order });
        }
        output.out(`${entityType}.${field}: ${order.join(', ')}\n`);
      },
    );

  group
    .command('list')
    .description('List the agreements with a customer; every other field has the default order')
    .addOption(customerOption())
    .addOption(jsonOption())
    .action(async ({ customer, json }: OfCustomer) => {
      const agreed = await operate(({ agreements }) => agreements.list(customer, 'precedence'));
      const rows = agreed.map(shownPrecedence);
      if (json) {
        return output.json({ customer_id: customer, default_platforms: platformNames, precedence: rows });
      }
      const columns = ['entity_type', 'field', 'platforms', 'since', 'decided_by', 'reason'] as const;
      output.out(
        table(
          columns,
          rows.map((row) => ({ ...row, platforms: row.platforms.join(',') })),
        ),
      );
    });

  group
    .command('clear')
    .description('Go back to the default order for a field')
    .addOption(customerOption())
    .addOption(entityTypeOption())
    .addOption(fieldOption())
    .addOption(reasonOption())
    .addOption(deciderOption())
    .addOption(jsonOption())
    .action(async ({ customer, entityType, field, json, ...why }: OfField, command: Command) => {
      refuse(command, problemOfPrecedence(entityType, field, platformNames));
      await operate(({ agreements }) => agreements.clearPrecedence(customer, entityType, field, why));
      if (json) return output.json({ customer_id: customer, entity_type: entityType, field, cleared: true });
      output.out(`${entityType}.${field}: the default order\n`);
    });
}

function entityTypeOption(): Option {
  return new Option('--entity-type <type>', 'type of the field')
    .choices([...storedEntityTypes])
    .makeOptionMandatory();
}

function fieldOption(): Option {
  return new Option('--field <name>', 'canonical field').makeOptionMandatory();
}

function refuse(command: Command, problem: string | undefined): void {
  if (problem !== undefined) command.error(`error: --${problem}`);
}
