/**
 * A customer who works on the platforms themselves: credentials, connects, a change that reaches both, what another user
 * changed there, and a change that a platform refuses.
 *
 * Run it while the service is up, with the same CREDENTIALS_KEYS (`.env` counts too): `npm run example:live`. It starts
 * simulators of its own. With SIMULATORS it uses those that run already; the file has what
 * `npm run -s simulators -- --json` has printed.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { TranslationClient, type Platform } from '@app/client';
import { connectionsTo, startSimulators, type SimulatedConnection } from '@app/simulators';
import { SimulatedPlatform } from './simulated-platform';

const platforms = ['platform_a', 'platform_b'] as const;

/** With the limits of a real company the first reading would take a minute. */
export const quick = { platform_a: { spikeLimit: 120, hourlyLimit: 0 } } as const;

/** What the walk needs. */
export interface LiveWalk {
  /** Address of the service. */
  readonly baseUrl: string;
  readonly simulators: Readonly<Record<Platform, SimulatedConnection>>;
  /** Runs an operator's command with an input; gives what it prints. */
  readonly operate: (args: readonly string[], input?: string) => Promise<string>;
  readonly print: (line: string) => void;
}

/** Walks through the life of a live customer and prints what it sees. */
export async function walkLive({ baseUrl, simulators, operate, print }: LiveWalk): Promise<void> {
  const customer = (await operate(['customers', 'create', '--name', 'A live customer'])).trim();
  const key = (await operate(['keys', 'issue', '--customer', customer, '--mode', 'test'])).trim();
  const connectionTo = (platform: Platform): readonly string[] => [
    ...['--customer', customer, '--platform', platform],
  ];
  for (const platform of platforms) {
    // Over standard input, because other users can see the arguments of a process.
    const credentials = JSON.stringify(simulators[platform].credentials);
    print((await operate(['connections', 'set', ...connectionTo(platform)], credentials)).trim());
  }

  const client = new TranslationClient({ baseUrl, apiKey: key, timeout: 60_000 });
  for (const platform of platforms) {
    const { mode, entities } = await connected(client, platform);
    print(`${platform}: ${mode}, ${entities.payments} payments, ${entities.contracts} contracts`);
  }
  for (const { platform, status, entities_synced, sync } of await client.listConnections()) {
    print(
      `${platform} is ${status}: ${entities_synced} records, ${sync?.complete ? 'complete' : 'incomplete'}`,
    );
  }

  // The same payment on both platforms, and another one for later.
  const payments = await client.listObjects('platform_a', 'payment');
  const [payment, other] = payments.filter(({ mappings }) => mappings.length === 2);
  const twin = payment?.mappings.find(({ platform }) => platform === 'platform_b');
  if (payment === undefined || twin === undefined || other === undefined)
    throw new Error('Two payments have to be on both platforms');
  const a = new SimulatedPlatform(simulators.platform_a);
  const b = new SimulatedPlatform(simulators.platform_b);
  const show = async (): Promise<void> => {
    const fields = ['amount', 'notes'];
    print(`platform_a has ${await a.fields({ kind: 'contract_payments' }, payment.id, fields)}`);
    const ofTwin = ['amount', 'currencyCode', 'comment'];
    print(`platform_b has ${await b.fields({ table: 'customerPayments' }, twin.platform_id, ofTwin)}`);
  };
  await show();

  // The answer comes when both platforms have confirmed, or with what is known after a while.
  const change = { amount: halfOf(payment.platform_data), notes: 'Retention agreed on site' };
  print(await propagated(client, payment.id, change));
  await show();

  // Another user works on the platform. The next reading brings their changes.
  const [project] = await client.listObjects('platform_a', 'project');
  if (project === undefined) throw new Error('platform_a has no project');
  await a.edit('change_record', { kind: 'projects', id: project.id, set: { name: 'Renamed by a person' } });
  await connected(client, 'platform_a');
  const renamed = (await client.listObjects('platform_a', 'project')).find(({ id }) => id === project.id);
  print(`the project is now ${JSON.stringify(renamed && Reflect.get(renamed.data, 'name'))}`);

  // The platform has the last word: a payment that accounting has taken over is locked.
  await a.edit('change_record', { kind: 'contract_payments', id: other.id, set: { origin_id: 'ERP-1' } });
  print(await propagated(client, other.id, { notes: 'Too late' }));

  for (const platform of platforms)
    print((await operate(['connections', 'remove', ...connectionTo(platform), '--purge'])).trim());
}

/** Connects, however long the platform takes: asking again joins the reading under way. */
async function connected(client: TranslationClient, platform: Platform) {
  for (;;) {
    const result = await client.connect(platform);
    if (result.status === 'connected') return result;
  }
}

/** Changes a payment and follows the change until both platforms have decided. */
async function propagated(client: TranslationClient, id: string, data: object): Promise<string> {
  let change = await client.propagate({
    format: 'platform',
    platform: 'platform_a',
    platform_id: id,
    entity_type: 'payment',
    data: { ...data },
  });
  const open = ['pending', 'uncertain'];
  while (Object.values(change.propagated).some((entry) => open.includes(entry?.status ?? ''))) {
    if (change.propagation_id === undefined) break;
    await sleep(500);
    change = await client.propagation(change.propagation_id);
  }
  const outcomes = platforms.map((platform) => {
    const { status, reason } = change.propagated[platform] ?? {};
    return `${platform} ${status}${reason === undefined ? '' : ` (${reason})`}`;
  });
  return `changed ${Object.keys(data).join(', ')}: ${outcomes.join('; ')}`;
}

/** Half of the amount of a payment of platform_a, which writes amounts as text. */
function halfOf(payment: object): string {
  return (Number(Reflect.get(payment, 'amount')) / 2).toFixed(2);
}

/** Runs an operator's command in a process of its own, as `npm run -s cli` does. */
async function operateHere(args: readonly string[], input = ''): Promise<string> {
  const root = join(__dirname, '..');
  const command = spawn(process.execPath, [join(root, 'scripts/run.mjs'), 'cli', ...args], {
    cwd: root,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = once(command, 'exit');
  command.stdin.end(input);
  const output = await text(command.stdout);
  // An exit event has the code first.
  const [code] = (await ended) as [number | null];
  if (code !== 0) throw new Error(`"${args.slice(0, 2).join(' ')}" failed`);
  return output;
}

async function main(): Promise<void> {
  const file = process.env['SIMULATORS'];
  const own = file === undefined ? await startSimulators({ switches: quick }) : undefined;
  try {
    await walkLive({
      baseUrl: process.env['BASE_URL'] ?? 'http://localhost:3000',
      // What a file has that the simulators have printed.
      simulators:
        own === undefined
          ? (JSON.parse(readFileSync(file ?? '', 'utf8')) as LiveWalk['simulators'])
          : connectionsTo(own),
      operate: operateHere,
      print: console.log,
    });
  } finally {
    await own?.close();
  }
}

if (require.main === module) {
  main().catch((error: unknown) => {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  });
}
