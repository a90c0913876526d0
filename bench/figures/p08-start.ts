import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { openCluster, SUPERUSER, type Cluster } from '../../src/runtime/embedded-postgres/cluster';
import {
  findPostmaster,
  freePort,
  launch,
  stopPostmaster,
} from '../../src/runtime/embedded-postgres/postmaster';
import { ROOT } from '../harness/children';
import type { Bench, Figure, Measurement } from '../harness/figure';
import { ask, wireOf } from '../harness/load';
import { repeat } from '../harness/repeat';

const LOOK_MS = 5;
const WAIT_LIMIT_MS = 60_000;

/**
 * P8: `npm start` with everything built and the database made, until the first healthy answer, against the start of the
 * same PostgreSQL on the same files until its first answer to a query. Unit: seconds.
 */
export const start: Figure = {
  ids: ['P8'],
  title: 'npm start to healthy against the start of its database',
  run: measure,
};

async function measure(bench: Bench): Promise<readonly Measurement[]> {
  const dataDir = join(bench.folder, 'p8-data');
  bench.progress.say('making a database');
  await startByNpm(dataDir);
  const cluster = await openCluster(dataDir, true);
  const paired = await repeat(bench, bench.progress, 'multiple', {
    floor: () => startDatabase(cluster),
    ours: () => startByNpm(dataDir),
  });
  return [
    {
      name: 'P8',
      ours: 'npm start, warm, to the first healthy answer',
      floor: 'PostgreSQL on the same files, to the first answer to a query',
      unit: 's',
      comparison: 'multiple',
      mark: { atMost: 3 },
      ...paired,
    },
  ];
}

async function startByNpm(dataDir: string): Promise<number> {
  const port = await freePort();
  const begun = performance.now();
  const child = spawn('npm', ['start'], {
    cwd: ROOT,
    env: {
      ...environmentOfAShell(),
      DATA_DIR: dataDir,
      PORT: String(port),
      HOST: '127.0.0.1',
      METRICS_PORT: 'off',
    },
    stdio: 'ignore',
    // A separate process group, so that a signal reaches npm and its children.
    detached: true,
    shell: process.platform === 'win32',
  });
  const end = once(child, 'exit');
  try {
    await until(() => isHealthy(`http://127.0.0.1:${port}`));
    return (performance.now() - begun) / 1000;
  } finally {
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGTERM');
    await end;
    await until(async () => (await findPostmaster(join(dataDir, 'postgres/data'))) === undefined);
  }
}

/** The environment without what the npm that started the bench has added to it. */
function environmentOfAShell(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('npm_')));
}

async function isHealthy(url: string): Promise<boolean> {
  try {
    return (await ask(url, wireOf('GET', '/api/v1/health'))).status === 200;
  } catch {
    return false; // nobody listens yet
  }
}

async function startDatabase(cluster: Cluster): Promise<number> {
  const port = await freePort();
  const begun = performance.now();
  await launch(cluster, port, true);
  try {
    await until(() => answers(cluster, port));
    return (performance.now() - begun) / 1000;
  } finally {
    const postmaster = await findPostmaster(cluster.data);
    if (postmaster !== undefined) await stopPostmaster(cluster, postmaster);
  }
}

async function answers({ password }: Cluster, port: number): Promise<boolean> {
  const client = new Client({ host: '127.0.0.1', port, user: SUPERUSER, password, database: 'postgres' });
  client.on('error', () => undefined); // `connect` and `query` reject as well
  try {
    await client.connect();
    await client.query('select 1');
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => undefined);
  }
}

async function until(reached: () => Promise<boolean>): Promise<void> {
  for (
    const deadline = performance.now() + WAIT_LIMIT_MS;
    performance.now() < deadline;
    await sleep(LOOK_MS)
  ) {
    if (await reached()) return;
  }
  throw new Error('It took more than a minute');
}
