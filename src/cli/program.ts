import { Command } from 'commander';
import { addConnections } from './commands/connections.commands';
import { addCredentials } from './commands/credentials.commands';
import { addCustomers } from './commands/customers.commands';
import { addDemo } from './commands/demo.commands';
import { addDoctor } from './commands/doctor.commands';
import { addFields } from './commands/fields.commands';
import { addKeys } from './commands/keys.commands';
import { addMigrations } from './commands/migrations.commands';
import { addOutbox } from './commands/outbox.commands';
import { addPrecedence } from './commands/precedence.commands';
import { addRates } from './commands/rates.commands';
import { addReconciliation } from './commands/reconciliation.commands';
import { addStatus } from './commands/status.commands';
import { addEndpoints } from './commands/endpoints.commands';
import { addRules } from './commands/rules.commands';
import type { Access } from './operator';
import type { Output } from './output';

const GROUPS = [
  addStatus,
  addDoctor,
  addCustomers,
  addKeys,
  addConnections,
  addCredentials,
  addOutbox,
  addRates,
  addPrecedence,
  addRules,
  addFields,
  addReconciliation,
  addEndpoints,
  addDemo,
  addMigrations,
] as const;

/** The operator's commands. Parsing throws CommanderError for a mistake in the command line. */
export function program(access: Access, output: Output): Command {
  const root = new Command('cli')
    .description('Operator commands; they use the database that DATABASE_URL or DATA_DIR names')
    .configureOutput({ writeOut: output.out, writeErr: output.err })
    .exitOverride();
  for (const addGroup of GROUPS) addGroup(root, access, output);
  return root;
}
