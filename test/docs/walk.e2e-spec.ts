import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { text as readAll } from 'node:stream/consumers';
import { startApp, type RunningApp } from '../support/app/app';
import { checkDescribed } from '../support/description/described-calls';
import { installCurl, type Curl } from './curl';
import { blocksOf, sectionOf, textOf } from './markdown';

const blocks = blocksOf(sectionOf(textOf('README.md'), 'A walk through it'));
const steps = blocks.filter(({ language }) => language === 'bash').map(({ text }) => text);
const answers = blocks.filter(({ language }) => language !== 'bash').map(({ text }) => text);

const between = '-- next step --';

/** A reader takes longer for the steps before than the service for comparing; a busy machine does not. */
const untilCompared = `until call /reconciliation | grep -q '"complete":true'; do sleep 0.1; done\n`;

// Some steps start Node, which is slow on a busy machine.
jest.setTimeout(120_000);

describe('the walk of the README', () => {
  let service: RunningApp;
  let tools: string;
  let curl: Curl;

  beforeAll(async () => {
    service = await startApp();
    tools = await mkdtemp(join(tmpdir(), 'translation-walk-'));
    // The tests also run on machines without curl.
    curl = await installCurl(join(tools, 'curl'));
  });
  afterAll(async () => {
    await curl.close();
    await service.close();
    await rm(tools, { recursive: true, force: true });
  });

  it('gives the answers that the README shows, to calls that the description allows', async () => {
    const script = steps
      .map((step) => (step.includes('/reconciliation') ? untilCompared : '') + step)
      .map((step) => `${step.replace('http://localhost:3000', service.url)}\necho '${between}'\n`)
      .join('');
    const bash = spawn('bash', ['--norc', '-euo', 'pipefail', '-c', script], {
      // A bash whose input is a socket, as a pipe of Node is, would take itself for a remote one and read its settings.
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, PATH: `${tools}${delimiter}${process.env['PATH'] ?? ''}` },
    });
    const [out, complaint] = await Promise.all([readAll(bash.stdout), readAll(bash.stderr)]);

    expect(complaint).toBe('');
    const given = out.split(between).slice(0, -1);
    expect(given).toHaveLength(answers.length);
    given.forEach((answer, index) => expect(firstDifference(answers[index] ?? '', answer)).toBeUndefined());

    const made = curl.calls;
    // Each route that the README has a call of, and none beside.
    const routes = [...steps.join('\n').matchAll(/(?:call ['"]?|\$API)(\/[^\s'"?]+)/g)];
    expect(new Set(made.map(({ url }) => routeOf(new URL(url).pathname.replace('/api/v1', ''))))).toEqual(
      new Set(routes.map(([, path = '']) => routeOf(path))),
    );
    for (const { url, method, headers, body, answer } of made) {
      checkDescribed(
        { method, path: url.replace(service.url, ''), headers: new Headers(headers), body },
        {
          status: answer.status,
          headers: answer.headers,
          body: answer.text === '' ? undefined : JSON.parse(answer.text),
        },
      );
    }
  });
});

/** A path without its IDs, or the variables of the shell that hold them. */
function routeOf(path: string): string {
  return path.replace(/\/[^/]*[\d$][^/]*/g, '/…');
}

/** The first place where an answer differs from the one shown, in which `…` matches anything; undefined if none does. */
function firstDifference(shown: string, answer: string): { expected: string; at: string } | undefined {
  const pieces = comparable(shown).split('…');
  const whole = comparable(answer);
  let position = 0;
  for (const [index, piece] of pieces.entries()) {
    const isLast = index === pieces.length - 1;
    const found =
      index === 0
        ? whole.startsWith(piece)
          ? 0
          : -1
        : whole.indexOf(piece, isLast ? whole.length - piece.length : position);
    if (found < position) return { expected: piece, at: whole.slice(position, position + piece.length + 80) };
    position = found + piece.length;
  }
  return position === whole.length ? undefined : { expected: '', at: whole.slice(position) };
}

/** An answer without its layout, and with times and generated IDs, which every walk has of its own, made equal. */
function comparable(text: string): string {
  return text
    .replace(/\s/g, '')
    .replace(/"\d{4}-\d\d-\d\dT[\d:.]+Z"/g, '"time"')
    .replace(/"(proj|cust|cor|inv|pay|req|sk_demo)_[0-9A-Za-z]+…?"/g, '"$1_…"')
    .replace(/"customer_id":"[0-9a-f-]{36}"/g, '"customer_id":"…"');
}
