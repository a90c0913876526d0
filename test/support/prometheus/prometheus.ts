import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { freePort } from '../../../src/runtime/embedded-postgres/postmaster';
import { unpackDebianPackage } from '../installed/debian-package';

const execute = promisify(execFile);

/** The state of a rule in Prometheus. */
export interface RuleState {
  readonly name: string;
  readonly state: 'inactive' | 'pending' | 'firing';
  /** `ok` unless its expression could not be evaluated. */
  readonly health: string;
  readonly lastError?: string;
}

/** One series of a query result; the samples are times in seconds, and values. */
export interface Series {
  readonly metric: Readonly<Record<string, string>>;
  readonly values: readonly (readonly [at: number, value: string])[];
}

/** A Prometheus server on this machine, with one job and one file of rules. */
export interface RunningPrometheus {
  /** The version of Debian's package. */
  readonly version: string;
  /** Scrapes these addresses (`http://…/metrics`) every 3 s from now on, as the instances of the job. */
  scrape(urls: readonly string[]): void;
  rules(): Promise<readonly RuleState[]>;
  /** The names of all metrics that it has. */
  names(): Promise<readonly string[]>;
  /** The values of an expression during the last minutes, one for every few seconds. */
  range(expression: string, minutes: number): Promise<readonly Series[]>;
  close(): Promise<void>;
}

export const JOB = 'translation';

const CONFIG = `
global: { scrape_interval: 3s, scrape_timeout: 3s, evaluation_interval: 1s }
rule_files: [alerts.yaml]
scrape_configs:
  - job_name: ${JOB}
    file_sd_configs: [{ files: [targets.json], refresh_interval: 1s }]
`;

/**
 * Starts Prometheus without data of earlier runs.
 *
 * @param rules a file of rules that promtool accepts
 * @throws Error with the output of promtool
 */
export async function startPrometheus(rules: string): Promise<RunningPrometheus> {
  const unpacked = await unpackDebianPackage('prometheus');
  const { folder } = unpacked;
  const write = (name: string, text: string): void => {
    writeFileSync(join(folder, `${name}.new`), text);
    renameSync(join(folder, `${name}.new`), join(folder, name));
  };
  const program = (name: string): string => join(folder, 'usr/bin', name);
  write('alerts.yaml', rules);
  write('targets.json', '[]');
  write('prometheus.yaml', CONFIG);
  await execute(program('promtool'), ['check', 'config', 'prometheus.yaml'], { cwd: folder });
  const address = `127.0.0.1:${await freePort()}`;
  const server = spawn(
    program('prometheus'),
    [
      '--config.file=prometheus.yaml',
      '--storage.tsdb.path=data',
      '--log.level=error',
      `--web.listen-address=${address}`,
    ],
    { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] },
  );
  const ended = once(server, 'exit');
  const ask = async (path: string, parameters: Readonly<Record<string, string>> = {}) => {
    const response = await fetch(
      `http://${address}/api/v1/${path}?${new URLSearchParams(parameters).toString()}`,
    );
    const answer = (await response.json()) as { status: string; data: never; error?: string };
    if (answer.status !== 'success') throw new Error(`${JSON.stringify(parameters)}: ${answer.error}`);
    return answer.data;
  };
  const isReady = (): Promise<boolean> =>
    fetch(`http://${address}/-/ready`).then(
      ({ ok }) => ok,
      () => false,
    );
  while (!(await isReady())) {
    if (server.exitCode !== null) throw new Error(`Prometheus has ended with ${server.exitCode}`);
    await sleep(100);
  }
  return {
    version: unpacked.version,
    scrape: (urls) => {
      const targets = urls.map((url) => new URL(url).host);
      write('targets.json', JSON.stringify([{ targets }]));
    },
    rules: async () => {
      const { groups }: { groups: readonly { rules: readonly RuleState[] }[] } = await ask('rules');
      return groups.flatMap((group) => group.rules);
    },
    names: () => ask('label/__name__/values'),
    range: async (expression, minutes) => {
      const end = Date.now() / 1_000;
      const times = { start: String(end - minutes * 60), end: String(end), step: '2' };
      const { result }: { result: readonly Series[] } = await ask('query_range', {
        query: expression,
        ...times,
      });
      return result;
    },
    close: async () => {
      server.kill('SIGTERM');
      await ended;
      unpacked.remove();
    },
  };
}
