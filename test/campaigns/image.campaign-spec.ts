// The Dockerfile's instructions are carried out in clean roots of Debian and Node, and the result runs as the manifests have it: read-only, without rights; migration, probes, SIGTERM.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Deployment } from 'kubernetes-types/apps/v1';
import type { Job } from 'kubernetes-types/batch/v1';
import type { ConfigMap, Container as PodContainer, Probe } from 'kubernetes-types/core/v1';
import { freePort } from '../../src/runtime/embedded-postgres/postmaster';
import { manifest } from '../deploy/manifests';
import { textOf } from '../deploy/project';
import { api } from '../support/app/api';
import { campaign } from '../support/campaign/campaign';
import { createDatabase, type TestDatabase } from '../support/database/database';
import { debianWithNode, type BaseImage } from '../support/image/base-image';
import { runInContainer, startContainer, type Container } from '../support/image/container';
import { buildImage, type BuiltImage } from '../support/image/image-build';

const NPM = '11.19.1';
/** The number of starts and stops of the service. */
const STARTS = 3;

const [, release = ''] = /^ARG NODE_IMAGE=node:\d+-([a-z]+)-slim$/m.exec(textOf('Dockerfile')) ?? [];
const pod = manifest<Deployment>('Deployment').spec?.template.spec;
const [service] = pod?.containers ?? [];
const [migration] = manifest<Job>('Job').spec?.template.spec?.containers ?? [];
const settings = manifest<ConfigMap>('ConfigMap').data ?? {};

campaign('image', (figures) => {
  const folders: BaseImage[] = [];
  let image: BuiltImage;
  let database: TestDatabase;
  const started: Container[] = [];
  beforeAll(async () => {
    database = await createDatabase();
    const base = await debianWithNode(release, NPM);
    folders.push(base);
    image = await buildImage(base);
    folders.push(image);
    figures.count('instructions', image.steps);
  });
  afterAll(async () => {
    for (const container of started) container.kill();
    for (const each of folders) each.remove();
    await database.drop();
  });

  /** The settings of the pods, with ports that are free on this machine. */
  async function environment() {
    const ports = { http: await freePort(), metrics: await freePort() };
    const env = {
      ...settings,
      DATABASE_URL: database.url,
      PORT: String(ports.http),
      METRICS_PORT: String(ports.metrics),
      HOST: '127.0.0.1',
    };
    return { ports, env };
  }

  /** Whether a probe of the manifest succeeds. */
  async function isHealthy(probe: Probe, ports: { http: number; metrics: number }) {
    const { httpGet, timeoutSeconds = 1 } = probe;
    const url = `http://127.0.0.1:${ports[httpGet?.port === 'metrics' ? 'metrics' : 'http']}${httpGet?.path}`;
    return fetch(url, { signal: AbortSignal.timeout(timeoutSeconds * 1_000) }).then(
      ({ ok }) => ok,
      () => false,
    );
  }

  async function until(container: Container, probe: Probe, ports: { http: number; metrics: number }) {
    for (let tries = 0; tries < (probe.failureThreshold ?? 3) && !container.hasEnded; tries += 1) {
      if (await isHealthy(probe, ports)) return;
      await sleep((probe.periodSeconds ?? 10) * 1_000);
    }
    throw new Error(`${probe.httpGet?.path} never succeeded:\n${container.output}`);
  }

  figures.part('holds neither npm nor a file that its user may change', async () => {
    for (const path of [
      'usr/local/bin/npm',
      'usr/local/bin/npx',
      'usr/local/lib/node_modules',
      'root/.npmrc',
    ])
      expect({ path, exists: existsSync(join(image.folder, path)) }).toEqual({ path, exists: false });
    const find = ['find', '/', '-xdev', '-writable', '-not', '-type', 'l', '-not', '-path', '/proc/*'];
    const { output } = await runInContainer(image, { command: find });
    // The program cannot change what it may not read.
    const found = output.split('\n').filter((line) => line !== '' && !line.endsWith('Permission denied'));
    expect(found).toEqual(['/tmp']);
    const written = ['node', '-e', 'require("fs").writeFileSync("/app/x", "")'];
    expect((await runInContainer(image, { command: written })).output).toMatch(/EROFS|EACCES/);
  });

  figures.part('ends with a line that asks for DATABASE_URL without it', async () => {
    const { code, output } = await runInContainer(image, {});
    expect({ code, output }).toEqual({
      code: 1,
      output: expect.stringMatching(/^[^\n]*DATABASE_URL[^\n]*\n$/),
    });
  });

  figures.part('brings the database up to date as the Job does', async () => {
    const { env } = await environment();
    const command = migration?.command ?? [];
    const first = await runInContainer(image, { env, command });
    expect({ code: first.code, output: first.output }).toEqual({
      code: 0,
      output: expect.stringMatching(/\d{13}/),
    });
    expect((await runInContainer(image, { env, command })).code).toBe(0);
  });

  figures.part('starts, answers the probes, and ends after SIGTERM within the grace', async () => {
    const [program = '', seconds] = service?.lifecycle?.preStop?.exec?.command ?? [];
    expect((await runInContainer(image, { command: [program, '0'] })).code).toBe(0);
    const graceMs = ((pod?.terminationGracePeriodSeconds ?? 0) - Number(seconds)) * 1_000;
    for (let start = 0; start < STARTS; start += 1) {
      const { env, ports } = await environment();
      const container = startContainer(image, { env });
      started.push(container);
      const { startupProbe, readinessProbe, livenessProbe } = service as PodContainer; // The manifest has one.
      for (const probe of [startupProbe, readinessProbe, livenessProbe])
        if (probe !== undefined) await until(container, probe, ports);
      const { healthcheck: command } = image;
      expect(await runInContainer(image, { env, command })).toEqual({ code: 0, output: '' });
      const session = await api(`http://127.0.0.1:${ports.http}`).post('/demo/session');
      const page = await fetch(`http://127.0.0.1:${ports.http}/console`);
      const metrics = await fetch(`http://127.0.0.1:${ports.metrics}/metrics`);
      expect([session.status, page.status, metrics.status]).toEqual([200, 200, 200]);
      const { code, tookMs } = await container.stop();
      expect(code).toBe(0);
      expect(tookMs).toBeLessThan(graceMs);
      figures.count('starts');
    }
  });
});
