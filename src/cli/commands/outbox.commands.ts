import { stringifyJson } from '@app/mapper';
import { Option, type Command } from 'commander';
import { commandStatuses, type CommandStatus } from '../../outbox/command/outbox-command';
import type { CommandState } from '../../outbox/operator/listed-commands.repository';
import type { ShownCommand } from '../../outbox/operator/outbox-operations';
import { shownDecision } from '../../outbox/operator/shown-decision';
import { ageArgument, uuidArgument } from '../arguments';
import type { Access } from '../operator';
import { deciderOption, jsonOption, reasonOption, type Json, type Reasoned } from '../options';
import type { Output } from '../output';
import { table } from '../table';

interface OfCommand extends Json {
  readonly command: string;
}

interface DecidedCommand extends OfCommand, Reasoned {
  readonly reason: string;
}

export function addOutbox(root: Command, access: Access, output: Output): void {
  const group = root.command('outbox').description('Writes to platforms that wait or need a person');
  addList(group, access, output);
  addShow(group, access, output);
  addRetry(group, access, output);
  addDiscard(group, access, output);
}

const columns = [
  'id',
  'customer_id',
  'platform',
  'entity_type',
  'state',
  'created_at',
  'attempts',
  'reason',
] as const;

function addList(group: Command, { operate }: Access, output: Output): void {
  group
    .command('list')
    .description('List commands, oldest first; without --state only open and held ones')
    .addOption(
      new Option('--customer <id>', 'ID of the customer; all customers unless given').argParser(uuidArgument),
    )
    .addOption(new Option('--state <state>', 'only commands in this state').choices([...commandStatuses]))
    .option(
      '--older-than <duration>',
      'only commands accepted at least this long ago: 90s, 30m, 12h, 7d',
      ageArgument,
    )
    .addOption(jsonOption())
    .action(
      async ({
        customer,
        state,
        olderThan,
        json,
      }: Json & { customer?: string; state?: CommandStatus; olderThan?: number }) => {
        const filter = {
          ...(customer !== undefined && { customerId: customer }),
          ...(state !== undefined && { status: state }),
          ...(olderThan !== undefined && { olderThan }),
        };
        const commands = await operate(async ({ customers, outbox }) => {
          if (customer !== undefined) await customers.get(customer);
          return outbox.list(filter);
        });
        const rows = commands.map(listing);
        if (json) return output.json({ commands: rows });
        output.out(table(columns, rows));
      },
    );
}

function addShow(group: Command, { operate }: Access, output: Output): void {
  group
    .command('show')
    .description('Show a command: what it writes, what it waits for, and what operators decided about it')
    .addOption(commandOption())
    .addOption(jsonOption())
    .action(async ({ command, json }: OfCommand) => {
      const shown = await operate(({ outbox }) => outbox.show(command));
      const whole = shownListing(shown);
      // Numbers of a record keep their exact spelling.
      if (json) return output.out(`${stringifyJson(whole)}\n`);
      const rows = Object.entries(whole).map(([name, value]) => ({
        name,
        value: typeof value === 'string' || value === null ? value : stringifyJson(value),
      }));
      output.out(table(['name', 'value'], rows));
    });
}

function addRetry(group: Command, { operate }: Access, output: Output): void {
  group
    .command('retry')
    .description(
      'Resume a held command, or let an open one continue now; the service first checks whether the write happened',
    )
    .addOption(commandOption())
    .addOption(reasonOption().makeOptionMandatory())
    .addOption(deciderOption())
    .option('--send-again', 'send it without this check; the platform may then have it twice')
    .addOption(jsonOption())
    .action(async ({ command, sendAgain, json, ...why }: DecidedCommand & { sendAgain?: true }) => {
      const { status } = await operate(({ outbox }) => outbox.retry(command, why, sendAgain === true));
      if (json) return output.json({ command_id: command, state: status });
      output.out(
        status === 'waiting'
          ? `Command ${command} is sent next\n`
          : `Command ${command} is looked for, and sent again if it did not happen\n`,
      );
    });
}

function addDiscard(group: Command, { operate }: Access, output: Output): void {
  group
    .command('discard')
    .description(
      'End a command; the service takes the accepted change back, as if the platform had rejected it',
    )
    .addOption(commandOption())
    .addOption(reasonOption().makeOptionMandatory())
    .addOption(deciderOption())
    .addOption(jsonOption())
    .action(async ({ command, json, ...why }: DecidedCommand) => {
      const { status } = await operate(({ outbox }) => outbox.discard(command, why));
      if (json) return output.json({ command_id: command, state: status });
      output.out(`Command ${command} has ended: ${status}\n`);
    });
}

function commandOption(): Option {
  return new Option('--command <id>', 'ID of the command, as listed')
    .argParser(uuidArgument)
    .makeOptionMandatory();
}

function listing(state: CommandState) {
  return {
    id: state.id,
    customer_id: state.customerId,
    propagation_id: state.propagationId,
    platform: state.platform,
    mode: state.mode,
    entity_type: state.entityType,
    canonical_id: state.canonicalId,
    platform_id: state.platformId,
    state: state.status,
    reason: state.reason,
    attempts: state.attempts,
    checks: state.checks,
    created_at: state.createdAt.toISOString(),
    sent_at: state.sentAt?.toISOString() ?? null,
    not_before: state.notBefore.toISOString(),
    decided_at: state.decidedAt?.toISOString() ?? null,
    change_reason: state.changeReason,
    decided_by: state.changeDecidedBy,
  };
}

function shownListing({ state, command, waitsBecause, decisions }: ShownCommand) {
  return {
    ...listing(state),
    waits_because: waitsBecause ?? null,
    changes: command.changes.map(({ path, value }) => ({ path: path.join('.'), value })),
    planned_for: command.base ?? null,
    notes: command.notes ?? null,
    created_as: command.made.createdAs ?? null,
    written_so_far: command.made.changes.map(({ path, value }) => ({ path: path.join('.'), value })),
    decisions: decisions.map((decision) => ({ ...shownDecision(decision) })),
  };
}
