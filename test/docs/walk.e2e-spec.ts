import { spawn } from 'node:child_process';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { text as readAll } from 'node:stream/consumers';
import { startApp, type RunningApp } from '../support/app';
import { blocksOf, sectionOf, textOf } from './markdown';

const blocks = blocksOf(sectionOf(textOf('README.md'), 'A walk through it'));
const steps = blocks.filter(({ language }) => language === 'bash').map(({ text }) => text);
const answers = blocks.filter(({ language }) => language !== 'bash').map(({ text }) => text);
const between = '-- next step --';

// Each step starts Node for its calls, which is slow on a busy machine.
jest.setTimeout(120_000);

describe('the walk of the README', () => {
  let service: RunningApp;
  let tools: string;

  beforeAll(async () => {
    service = await startApp();
    tools = await mkdtemp(join(tmpdir(), 'translation-walk-'));
    // The tests also run on machines without curl.
    const curl = join(tools, 'curl');
    await writeFile(curl, `#!/bin/sh\nexec "${process.execPath}" "${join(__dirname, 'curl.mjs')}" "$@"\n`);
    await chmod(curl, 0o755);
  });
  afterAll(async () => {
    await service.close();
    await rm(tools, { recursive: true, force: true });
  });

  it('gives the answers that the README shows', async () => {
    const script = steps
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
  });
});

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
