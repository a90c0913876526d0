import { Command, Option } from 'commander';
import type { ApiKeyRow } from '../auth/api-keys.repository';
import type { ApiKeysService } from '../auth/api-keys.service';
import { currencyArgument, nameArgument, problemOfRate, uuidArgument } from './arguments';
import type { CustomerRate, ExchangeRatesService } from './exchange-rates.service';
import type { ReconciliationService } from '../reconciliation/reconciliation.service';
import type { Output } from './output';
import { table } from './table';

/** The parts of the service that the commands work with. */
export interface Operator {
  readonly keys: ApiKeysService;
  readonly rates: ExchangeRatesService;
  readonly reconciliation: ReconciliationService;
}

/** Runs work with the database open, and closes it again. */
export type Operate = <Result>(work: (operator: Operator) => Promise<Result>) => Promise<Result>;

interface Json {
  readonly json?: true;
}
interface OfCustomer extends Json {
  readonly customer: string;
}
interface OfPair extends OfCustomer {
  readonly from: string;
  readonly to: string;
}

/** The operator's commands. Parsing throws CommanderError for a mistake in the command line. */
export function program(operate: Operate, output: Output): Command {
  const root = new Command('cli')
    .description('Operator commands, on the database that DATABASE_URL or DATA_DIR names')
    .configureOutput({ writeOut: output.out, writeErr: output.err })
    .exitOverride();
  addCustomers(root.command('customers').description('Customers'), operate, output);
  addKeys(root.command('keys').description('API keys of customers'), operate, output);
  addRates(root.command('rates').description('Exchange rates agreed with customers'), operate, output);
  addReconciliation(
    root.command('reconciliation').description('What reconciling left for people to decide'),
    operate,
    output,
  );
  return root;
}

function addCustomers(customers: Command, operate: Operate, output: Output): void {
  customers
    .command('create')
    .description('Create a customer, without keys as yet')
    .requiredOption('--name <name>', 'what to call the customer', nameArgument)
    .option('--json', 'print the result as JSON')
    .action(async ({ name, json }: Json & { name: string }) => {
      const { id } = await operate(({ keys }) => keys.createCustomer(name));
      if (json) return output.json({ customer_id: id, name });
      output.out(`${id}\n`);
      output.err(`Created customer ${JSON.stringify(name)}\n`);
    });
}

function addKeys(keys: Command, operate: Operate, output: Output): void {
  keys
    .command('issue')
    .description('Issue a key; it is shown this once')
    .addOption(customerOption())
    .addOption(
      new Option('--mode <mode>', 'staging (test) or production (live)')
        .choices(['test', 'live'])
        .makeOptionMandatory(),
    )
    .option('--json', 'print the result as JSON')
    .action(async ({ customer, mode, json }: OfCustomer & { mode: 'test' | 'live' }) => {
      const { id, key } = await operate((operator) => operator.keys.issue(customer, mode));
      if (json) return output.json({ key_id: id, customer_id: customer, mode, api_key: key });
      output.out(`${key}\n`);
      output.err(`Issued key ${id}. It is shown this once: store it now.\n`);
    });

  keys
    .command('list')
    .description('List the keys of a customer, without the keys themselves')
    .addOption(customerOption())
    .option('--json', 'print the result as JSON')
    .action(async ({ customer, json }: OfCustomer) => {
      const rows = (await operate((operator) => operator.keys.list(customer))).map(keyListing);
      if (json) return output.json({ customer_id: customer, keys: rows });
      output.out(table(['key_id', 'mode', 'hint', 'created_at', 'revoked_at'], rows));
    });

  keys
    .command('revoke')
    .description('Revoke a key, at once and for good')
    .requiredOption('--key-id <id>', 'ID of the key, as listed', uuidArgument)
    .option('--json', 'print the result as JSON')
    .action(async ({ keyId, json }: Json & { keyId: string }) => {
      const row = await operate((operator) => operator.keys.revoke(keyId));
      if (json) return output.json({ customer_id: row.customer_id, ...keyListing(row) });
      output.out(`Revoked key ${row.id} (${row.hint})\n`);
    });
}

function addRates(rates: Command, operate: Operate, output: Output): void {
  rates
    .command('set')
    .description('Set the rate of a pair: one unit of --from is --rate units of --to')
    .addOption(customerOption())
    .addOption(currencyOption('from'))
    .addOption(currencyOption('to'))
    .requiredOption('--rate <decimal>', 'positive decimal number, such as 3.64')
    .option('--json', 'print the result as JSON')
    .action(async ({ customer, from, to, rate, json }: OfPair & { rate: string }, command: Command) => {
      const problem = problemOfRate({ from, to, rate });
      if (problem !== undefined) command.error(`error: ${problem}`);
      await operate((operator) => operator.rates.set(customer, from, to, rate));
      if (json) return output.json({ customer_id: customer, from, to, rate });
      output.out(`1 ${from} = ${rate} ${to}\n`);
    });

  rates
    .command('list')
    .description('List the rates of a customer')
    .addOption(customerOption())
    .option('--json', 'print the result as JSON')
    .action(async ({ customer, json }: OfCustomer) => {
      const rows = (await operate((operator) => operator.rates.list(customer))).map(rateListing);
      if (json) return output.json({ customer_id: customer, rates: rows });
      output.out(table(['from', 'to', 'rate', 'set_at'], rows));
    });

  rates
    .command('remove')
    .description('Remove the rate of a pair')
    .addOption(customerOption())
    .addOption(currencyOption('from'))
    .addOption(currencyOption('to'))
    .option('--json', 'print the result as JSON')
    .action(async ({ customer, from, to, json }: OfPair) => {
      await operate((operator) => operator.rates.remove(customer, from, to));
      if (json) return output.json({ customer_id: customer, from, to, removed: true });
      output.out(`Removed the rate from ${from} to ${to}\n`);
    });
}

function addReconciliation(reconciliation: Command, operate: Operate, output: Output): void {
  reconciliation
    .command('list')
    .description('List disagreements, ambiguous records and unreadable fields of a customer')
    .addOption(customerOption())
    .option('--json', 'print the result as JSON')
    .action(async ({ customer, json }: OfCustomer) => {
      const findings = await operate((operator) => operator.reconciliation.list(customer));
      if (json) return output.json({ customer_id: customer, findings });
      output.out(table(['kind', 'entity_type', 'platform', 'platform_id', 'field', 'detail'], findings));
    });
}

function customerOption(): Option {
  return new Option('--customer <id>', 'ID of the customer').argParser(uuidArgument).makeOptionMandatory();
}

function currencyOption(name: 'from' | 'to'): Option {
  return new Option(`--${name} <currency>`, 'ISO 4217 code')
    .argParser(currencyArgument)
    .makeOptionMandatory();
}

function keyListing({ id, mode, hint, created_at, revoked_at }: ApiKeyRow) {
  return {
    key_id: id,
    mode,
    hint,
    created_at: created_at.toISOString(),
    revoked_at: revoked_at?.toISOString() ?? null,
  };
}

function rateListing({ from, to, rate, set_at }: CustomerRate) {
  return { from, to, rate, set_at: set_at.toISOString() };
}
