import {
  entityTypes,
  ownCodecNames,
  platformNames,
  problemsOfDefinition,
  type EntityType,
  type OwnCodec,
  type OwnPlace,
} from '@app/mapper';
import { Option, type Command } from 'commander';
import { shownField, type ShownField } from '../../terms/own-fields/shown-field';
import { fieldNameArgument, labelArgument, placeArgument, wordsArgument } from '../arguments';
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
  readonly entityType: EntityType;
  readonly name: string;
}

interface Definition extends OfField {
  readonly codec?: Extract<OwnCodec, string>;
  readonly oneOf?: readonly string[];
  readonly place?: Readonly<Record<string, string>>;
  readonly writablePlace?: Readonly<Record<string, string>>;
  readonly label?: string;
}

export function addFields(root: Command, { operate }: Access, output: Output): void {
  const group = root.command('fields').description('Canonical fields that customers add to types');

  group
    .command('set')
    .description(
      'Define a field, or replace its definition: its codec, and its path on at least one platform',
    )
    .addOption(customerOption())
    .addOption(entityTypeOption())
    .addOption(nameOption())
    .addOption(new Option('--codec <codec>', 'what the values are').choices([...ownCodecNames]))
    .addOption(
      new Option('--one-of <words>', 'the allowed words, with commas, instead of a codec').argParser(
        wordsArgument,
      ),
    )
    .addOption(placeOption('--place', 'where a platform has it'))
    .addOption(placeOption('--writable-place', 'the same as --place, and changes are written there'))
    .addOption(new Option('--label <text>', 'what the field means, for people').argParser(labelArgument))
    .addOption(reasonOption())
    .addOption(deciderOption())
    .addOption(jsonOption())
    .action(async (options: Definition, command: Command) => {
      const { customer, entityType, name, label, json, reason, decidedBy } = options;
      const codec = codecOf(options, command);
      const platforms = placesOf(options, command);
      const definition = { entityType, name, codec, platforms, ...(label !== undefined && { label }) };
      const [problem] = problemsOfDefinition(definition);
      if (problem !== undefined) command.error(`error: ${problem.path}: ${problem.problem}`);
      const why = { ...(reason !== undefined && { reason }), ...(decidedBy !== undefined && { decidedBy }) };
      const field = shownField(await operate(({ fields }) => fields.define(customer, definition, why)));
      if (json) return output.json({ customer_id: customer, ...field });
      output.out(`${entityType}.${field.field}: ${codecText(field)} on ${placesText(field)}\n`);
      for (const { platform, why: reasonAgainst } of field.on)
        if (reasonAgainst !== null) output.err(`${platform}: ${reasonAgainst}\n`);
    });

  group
    .command('list')
    .description('List the fields of a customer, with the progress of reading the stored records again')
    .addOption(customerOption())
    .addOption(jsonOption())
    .action(async ({ customer, json }: OfCustomer) => {
      const listed = await operate(async ({ customers, fields }) => {
        await customers.get(customer);
        return fields.list(customer);
      });
      const fields = listed.map(shownField);
      if (json) return output.json({ customer_id: customer, fields });
      const columns = [
        'entity_type',
        'field',
        'codec',
        'platforms',
        'status',
        'read',
        'filled',
        'unreadable',
        'since',
        'decided_by',
        'reason',
      ] as const;
      const rows = fields.map((field) => ({
        ...field,
        codec: codecText(field),
        platforms: placesText(field),
        status: field.removed ? 'removed' : field.status,
        read: `${field.records.read} of ${field.records.total}`,
        filled: field.records.filled,
        unreadable: field.records.unreadable,
      }));
      output.out(table(columns, rows));
    });

  group
    .command('remove')
    .description('Remove a field; records stay as they are')
    .addOption(customerOption())
    .addOption(entityTypeOption())
    .addOption(nameOption())
    .addOption(reasonOption())
    .addOption(deciderOption())
    .addOption(jsonOption())
    .action(async ({ customer, entityType, name, json, ...why }: OfField) => {
      await operate(({ fields }) => fields.remove(customer, { entityType, name }, why));
      if (json) return output.json({ customer_id: customer, entity_type: entityType, name, removed: true });
      output.out(`Removed the field ${name} of ${entityType}\n`);
    });
}

function codecOf({ codec, oneOf }: Definition, command: Command): OwnCodec {
  if (codec !== undefined && oneOf === undefined) return codec;
  if (oneOf !== undefined && codec === undefined) return { one_of: oneOf };
  return command.error('error: either --codec or --one-of is needed');
}

function placesOf(
  { place = {}, writablePlace = {} }: Definition,
  command: Command,
): Record<string, OwnPlace> {
  const twice = Object.keys(place).find((platform) => platform in writablePlace);
  if (twice !== undefined) command.error(`error: ${twice} has two places`);
  const of = (paths: Readonly<Record<string, string>>, writable: boolean): [string, OwnPlace][] =>
    Object.entries(paths).map(([platform, path]) => [platform, { path, writable }]);
  return Object.fromEntries([...of(place, false), ...of(writablePlace, true)]);
}

function codecText({ codec }: ShownField): string | null {
  return typeof codec === 'object' && codec !== null ? `one of ${codec.one_of.join(', ')}` : codec;
}

function placesText({ platforms }: ShownField): string {
  return Object.entries(platforms)
    .map(([platform, { path, writable }]) => `${platform}=${path}${writable ? ' (writable)' : ''}`)
    .join(', ');
}

function entityTypeOption(): Option {
  return new Option('--entity-type <type>', 'type of the field')
    .choices([...entityTypes])
    .makeOptionMandatory();
}

function nameOption(): Option {
  return new Option('--name <name>', 'name of the field, without custom.')
    .argParser(fieldNameArgument)
    .makeOptionMandatory();
}

/** An option that may be given once for each platform. */
function placeOption(flag: string, description: string): Option {
  return new Option(
    `${flag} <platform=path>`,
    `${description}, such as ${platformNames.at(-1) ?? ''}=costCenter; once for each platform`,
  ).argParser(placeArgument);
}
