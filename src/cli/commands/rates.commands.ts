import type { Command } from 'commander';
import { shownRate } from '../../terms/shown-agreements';
import { problemOfRate } from '../arguments';
import type { Access } from '../operator';
import {
  currencyOption,
  customerOption,
  deciderOption,
  jsonOption,
  reasonOption,
  type OfCustomer,
  type Reasoned,
} from '../options';
import type { Output } from '../output';
import { table } from '../table';

interface OfPair extends OfCustomer, Reasoned {
  readonly from: string;
  readonly to: string;
}

export function addRates(root: Command, { operate }: Access, output: Output): void {
  const rates = root.command('rates').description('Exchange rates agreed with customers');

  rates
    .command('set')
    .description('Set the rate of a pair: one unit of --from is --rate units of --to')
    .addOption(customerOption())
    .addOption(currencyOption('from'))
    .addOption(currencyOption('to'))
    .requiredOption('--rate <decimal>', 'positive decimal number, such as 3.64')
    .addOption(reasonOption())
    .addOption(deciderOption())
    .addOption(jsonOption())
    .action(
      async ({ customer, from, to, rate, json, ...why }: OfPair & { rate: string }, command: Command) => {
        const problem = problemOfRate({ from, to, rate });
        if (problem !== undefined) command.error(`error: ${problem}`);
        await operate((operator) => operator.rates.set(customer, { from, to, rate }, why));
        if (json) return output.json({ customer_id: customer, from, to, rate });
        output.out(`1 ${from} = ${rate} ${to}\n`);
      },
    );

  rates
    .command('list')
    .description('List the rates of a customer')
    .addOption(customerOption())
    .addOption(jsonOption())
    .action(async ({ customer, json }: OfCustomer) => {
      const rows = (await operate((operator) => operator.rates.list(customer))).map(shownRate);
      if (json) return output.json({ customer_id: customer, rates: rows });
      output.out(table(['from', 'to', 'rate', 'set_at', 'decided_by', 'reason'], rows));
    });

  rates
    .command('remove')
    .description('Remove the rate of a pair')
    .addOption(customerOption())
    .addOption(currencyOption('from'))
    .addOption(currencyOption('to'))
    .addOption(reasonOption())
    .addOption(deciderOption())
    .addOption(jsonOption())
    .action(async ({ customer, from, to, json, ...why }: OfPair) => {
      await operate((operator) => operator.rates.remove(customer, from, to, why));
      if (json) return output.json({ customer_id: customer, from, to, removed: true });
      output.out(`Removed the rate from ${from} to ${to}\n`);
    });
}
