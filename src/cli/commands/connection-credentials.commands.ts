import { Option, type Command } from 'commander';
import type { PlatformName } from '@app/mapper';
import type { OnOtherCompany, Stored } from '../../connections/live-connections.service';
import type { ConnectionName } from '../../platforms/connector';
import { readCredentials } from '../../platforms/given-credentials';
import type { ShownCredentials } from '../../platforms/credentials/credentials.service';
import { CannotOpenSeal } from '../../platforms/credentials/master-keys';
import { ApiError } from '../../common/errors/api-error';
import { DeadlineReached, withinDeadline } from '../../runtime/clock/deadline';
import { textOf } from '../input';
import type { Access, Operator } from '../operator';
import { customerOption, jsonOption, platformOption, type OfConnection } from '../options';
import type { StoredWebhooks } from '../../webhooks/subscriptions.service';
import type { Output } from '../output';
import { table } from '../table';

interface SetOptions extends OfConnection {
  readonly replace?: true;
  readonly sameCompany?: true;
}

/** How long a platform may take to delete the service's webhooks, in milliseconds. */
const WEBHOOKS_WAIT_MS = 20_000;

/** Adds the commands that create, show and end a live connection. */
export function addConnectionCredentials(connections: Command, access: Access, output: Output): void {
  addSet(connections, access, output);
  addShow(connections, access, output);
  addRemove(connections, access, output);
}

function addSet(connections: Command, { operate, input }: Access, output: Output): void {
  connections
    .command('set')
    .description('Store credentials, read as JSON from standard input; the connection is live from then on')
    .addOption(customerOption())
    .addOption(platformOption())
    .addOption(
      new Option(
        '--replace',
        'if they lead to another company: remove the records of the previous company, and cancel the changes that wait for it',
      ).conflicts('sameCompany'),
    )
    .option('--same-company', 'keep the records: it is one company under two addresses')
    .addOption(jsonOption())
    .action(async ({ customer, platform, json, ...choice }: SetOptions) => {
      // The input is read before the database is opened, because its writer may take time.
      const text = await textOf(
        input,
        `connections set --customer ${customer} --platform ${platform} < credentials.json`,
      );
      const stored = await operate(async (operator) => {
        const name = { customerId: customer, platform };
        // Checks the credentials first, because invalid ones must change nothing, on the platform either.
        readCredentials(platform, text);
        // The webhooks are deleted with the credentials that created them. For the same company, the service creates
        // them again.
        const ended = choice.replace === true ? await endWebhooks(operator, name) : undefined;
        const set = await operator.live.set(customer, platform, text, onOtherCompany(choice));
        if (ended !== undefined && set.replaced !== undefined) {
          await forgetWebhooks(operator, name, ended, output);
        }
        return set;
      });
      if (json) return output.json({ customer_id: customer, ...storedResponse(stored) });
      output.out(storedText(platform, stored));
    });
}

function onOtherCompany({
  replace,
  sameCompany,
}: Pick<SetOptions, 'replace' | 'sameCompany'>): OnOtherCompany {
  if (replace === true) return 'replace';
  return sameCompany === true ? 'keep' : 'refuse';
}

function storedResponse({ shown, replaced }: Stored) {
  return {
    ...shownCredentials(shown),
    ...(replaced && {
      records_removed: replaced.recordsRemoved,
      changes_cancelled: replaced.changesCancelled,
    }),
  };
}

function storedText(platform: PlatformName, { replaced }: Stored): string {
  const removed =
    replaced &&
    `Removed ${replaced.recordsRemoved} records and ${replaced.changesCancelled} waiting changes of the former company\n`;
  return `${removed ?? ''}Stored the credentials for ${platform}; the next connect reads the platform itself\n`;
}

function addShow(connections: Command, { operate }: Access, output: Output): void {
  connections
    .command('show')
    .description(
      'Show the credentials of a live connection, without the secrets, and the state of its webhooks',
    )
    .addOption(customerOption())
    .addOption(platformOption())
    .addOption(jsonOption())
    .action(async ({ customer, platform, json }: OfConnection) => {
      const { shown, webhooks } = await operate(async ({ live, webhooks: subscriptions }) => ({
        shown: shownCredentials(await live.show(customer, platform)),
        webhooks: shownWebhooks(await subscriptions.stored({ customerId: customer, platform })),
      }));
      if (json) return output.json({ customer_id: customer, ...shown, webhooks });
      const { settings, ...rest } = shown;
      const ofWebhooks = Object.fromEntries(
        Object.entries(webhooks).map(([name, value]) => [`webhooks_${name}`, value ?? '']),
      );
      const rows = Object.entries({ ...rest, ...ofWebhooks, ...settings }).map(([name, value]) => ({
        name,
        value: Array.isArray(value) ? value.join(', ') : String(value),
      }));
      output.out(table(['name', 'value'], rows));
    });
}

function addRemove(connections: Command, { operate }: Access, output: Output): void {
  connections
    .command('remove')
    .description('End a live connection; its records stay until the next connect, which reads the sandbox')
    .addOption(customerOption())
    .addOption(platformOption())
    .addOption(
      new Option('--purge', 'also remove its records, and cancel the changes that wait for the platform'),
    )
    .addOption(jsonOption())
    .action(async ({ customer, platform, purge, json }: OfConnection & { readonly purge?: true }) => {
      const { recordsRemoved, changesCancelled, webhooksRemoved } = await operate(async (operator) => {
        const name = { customerId: customer, platform };
        if (purge !== true) await operator.live.refuseWaiting(customer, platform);
        const ended = await endWebhooks(operator, name);
        const removal = await operator.live.remove(customer, platform, purge === true);
        // After the credentials were deleted, no instance creates new webhooks.
        await forgetWebhooks(operator, name, ended, output);
        return { webhooksRemoved: ended.removed, ...removal };
      });
      if (json) {
        return output.json({
          customer_id: customer,
          platform,
          records_removed: recordsRemoved,
          changes_cancelled: changesCancelled,
          webhooks_removed: webhooksRemoved,
        });
      }
      output.out(
        purge === true
          ? `Removed the live connection to ${platform}, ${recordsRemoved} records and ${changesCancelled} waiting changes\n`
          : `Removed the live connection to ${platform}; its records stay until the next connect\n`,
      );
    });
}

/** How the webhooks of a connection ended at its platform. */
interface EndedWebhooks {
  readonly removed: number;
  /** Why they are still there; undefined if they are not. */
  readonly problem?: string;
}

/**
 * Deletes the webhooks while credentials exist. An operator can remove credentials even if the platform does not
 * respond.
 */
async function endWebhooks({ webhooks }: Operator, connection: ConnectionName): Promise<EndedWebhooks> {
  try {
    return {
      removed: await withinDeadline(WEBHOOKS_WAIT_MS, [], (signal) => webhooks.end(connection, signal)),
    };
  } catch (error) {
    const problem = reasonOf(error, connection.platform);
    if (problem === undefined) throw error;
    return { removed: 0, problem };
  }
}

/** Takes all effect from webhooks that the platform keeps, once the connection that made them is gone. */
async function forgetWebhooks(
  { webhooks }: Operator,
  connection: ConnectionName,
  { problem }: EndedWebhooks,
  output: Output,
): Promise<void> {
  await webhooks.forget(connection);
  if (problem === undefined) return;
  output.err(
    `The webhooks at ${connection.platform} are still there, and have no effect any more: ${problem}\n`,
  );
}

/** Undefined for an error that does not concern the platform or its credentials. */
function reasonOf(error: unknown, platform: PlatformName): string | undefined {
  if (error instanceof ApiError || error instanceof CannotOpenSeal) return error.message;
  if (error instanceof DeadlineReached) return `${platform} did not answer in time`;
  return undefined;
}

function shownCredentials({ platform, settings, changedAt, masterKeyId }: ShownCredentials) {
  return { platform, changed_at: changedAt.toISOString(), sealed_with: masterKeyId, settings };
}

function shownWebhooks({ confirmed, unconfirmed, failures, nextAt }: StoredWebhooks) {
  return {
    confirmed,
    unconfirmed,
    failed_checks: failures,
    next_check_at: nextAt?.toISOString() ?? null,
  };
}
