import { Option, type Command } from 'commander';
import type { StoredKey } from '../../auth/keys/api-keys.repository';
import { DEFAULT_PERMISSIONS, type Permission } from '../../auth/keys/permissions';
import { nameArgument, overlapArgument, permissionsArgument } from '../arguments';
import type { Access } from '../operator';
import { customerOption, jsonOption, keyOption, type Json, type OfCustomer } from '../options';
import type { Output } from '../output';
import { table } from '../table';

interface OfKey extends Json {
  readonly keyId: string;
}

interface NewKey extends OfCustomer {
  readonly mode: 'test' | 'live';
  readonly permissions: readonly Permission[];
  readonly label?: string;
}

/** How long a replaced key stays valid by default. */
const OVERLAP = '24h';

export function addKeys(root: Command, access: Access, output: Output): void {
  const keys = root.command('keys').description('API keys of customers');
  addIssue(keys, access, output);
  addList(keys, access, output);
  addRotate(keys, access, output);
  addRevoke(keys, access, output);
}

function addIssue(keys: Command, { operate }: Access, output: Output): void {
  keys
    .command('issue')
    .description('Issue a key; it is shown only once')
    .addOption(customerOption())
    .addOption(
      new Option('--mode <mode>', 'staging (test) or production (live)')
        .choices(['test', 'live'])
        .makeOptionMandatory(),
    )
    .addOption(
      new Option('--permissions <names>', 'what the key may do, with commas')
        .argParser(permissionsArgument)
        .default(DEFAULT_PERMISSIONS, DEFAULT_PERMISSIONS.join(',')),
    )
    .option('--label <text>', 'what to call the key', nameArgument)
    .addOption(jsonOption())
    .action(async ({ customer, mode, permissions, label, json }: NewKey) => {
      const { id, key } = await operate(({ keys }) => keys.issue(customer, mode, { permissions, label }));
      if (json) {
        return output.json({
          key_id: id,
          customer_id: customer,
          mode,
          label: label ?? null,
          permissions,
          api_key: key,
        });
      }
      output.out(`${key}\n`);
      output.err(`Issued key ${id}. It is shown this once: store it now.\n`);
    });
}

function addList(keys: Command, { operate }: Access, output: Output): void {
  keys
    .command('list')
    .description('List the keys of a customer, without their secrets')
    .addOption(customerOption())
    .addOption(jsonOption())
    .action(async ({ customer, json }: OfCustomer) => {
      const rows = (await operate((operator) => operator.keys.list(customer))).map(keyListing);
      if (json) return output.json({ customer_id: customer, keys: rows });
      output.out(
        table(
          listColumns,
          rows.map((row) => ({ ...row, permissions: row.permissions.join(',') })),
        ),
      );
    });
}

const listColumns = [
  'key_id',
  'label',
  'mode',
  'permissions',
  'hint',
  'created_at',
  'expires_at',
  'revoked_at',
] as const;

function addRotate(keys: Command, { operate }: Access, output: Output): void {
  keys
    .command('rotate')
    .description(
      'Replace a key by a new one, which is shown only once; the old key stays valid for the overlap',
    )
    .addOption(keyOption())
    .addOption(
      new Option(
        '--overlap <duration>',
        'how long the old key stays valid: 90s, 30m, 12h, 7d; 0 revokes it at once',
      )
        .argParser(overlapArgument)
        .default(overlapArgument(OVERLAP), OVERLAP),
    )
    .addOption(jsonOption())
    .action(async ({ keyId, overlap, json }: OfKey & { overlap: number }) => {
      const { id, key, replaced } = await operate((operator) => operator.keys.rotate(keyId, overlap));
      if (json) {
        return output.json({
          key_id: id,
          customer_id: replaced.customerId,
          mode: replaced.mode,
          label: replaced.label,
          permissions: replaced.permissions,
          api_key: key,
          replaces: keyListing(replaced),
        });
      }
      output.out(`${key}\n`);
      output.err(`Issued key ${id}. It is shown this once: store it now.\n`);
      output.err(
        replaced.expiresAt === null
          ? `Revoked key ${keyId} (${replaced.hint})\n`
          : `Key ${keyId} (${replaced.hint}) stays valid until ${replaced.expiresAt.toISOString()}\n`,
      );
    });
}

function addRevoke(keys: Command, { operate }: Access, output: Output): void {
  keys
    .command('revoke')
    .description('Revoke a key, at once and for good')
    .addOption(keyOption())
    .addOption(jsonOption())
    .action(async ({ keyId, json }: OfKey) => {
      const row = await operate((operator) => operator.keys.revoke(keyId));
      if (json) return output.json({ customer_id: row.customerId, ...keyListing(row) });
      output.out(`Revoked key ${row.id} (${row.hint})\n`);
    });
}

function keyListing({ id, label, mode, permissions, hint, createdAt, expiresAt, revokedAt }: StoredKey) {
  return {
    key_id: id,
    label,
    mode,
    permissions,
    hint,
    created_at: createdAt.toISOString(),
    expires_at: expiresAt?.toISOString() ?? null,
    revoked_at: revokedAt?.toISOString() ?? null,
  };
}
