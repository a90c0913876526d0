import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ApiError, TranslationClient } from '@app/client';
import { walk } from '../../examples/walk';
import { startApp, type RunningApp } from '../support/app';
import { documentFile } from '../support/described-answers';

jest.setTimeout(120_000);

const root = join(__dirname, '../..');
const library = join(root, 'libs/client');
const run = promisify(execFile);

describe('The typed client', () => {
  let app: RunningApp;
  beforeAll(async () => {
    app = await startApp();
  });
  afterAll(() => app.close());

  it('is generated from the description as it is committed', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'translation-client-'));
    try {
      const file = join(folder, 'schema.ts');
      const generator = join(root, 'node_modules/openapi-typescript/bin/cli.js');
      await run(process.execPath, [generator, documentFile, '-o', file], { cwd: root });
      const generated = readFileSync(file, 'utf8');
      if (process.env['UPDATE_DOCS'] === '1') writeFileSync(join(library, 'src/schema.ts'), generated);
      expect(readFileSync(join(library, 'src/schema.ts'), 'utf8')).toBe(generated);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it('walks the walk of the README', async () => {
    const lines: string[] = [];
    await walk(app.url, (line) => lines.push(line));
    expect(lines).toEqual([
      'platform_a: 8 payments, 13 contracts',
      expect.stringMatching(/^platform_b: \d+ payments, \d+ contracts$/),
      expect.stringMatching(/^pay_\w+ is platform_a \d+ and platform_b [0-9a-f-]{36}$/),
      'changed amount; platform_b: applied',
      expect.stringMatching(/^converted from USD to [A-Z]{3} at \d+\.\d+$/),
      expect.stringMatching(/^a time entry would be \{.*"2026-02-01".*\}$/),
      expect.stringMatching(/^refused: NOT_FOUND, request req_[0-9a-f]{20}$/),
      'the session is gone',
    ]);
  });

  it('names the request of a refusal by the ID in the log of the service', async () => {
    const client = new TranslationClient({ baseUrl: app.url, apiKey: 'sk_test_none' });
    const error: unknown = await client.listConnections().catch((thrown: unknown) => thrown);
    if (!(error instanceof ApiError)) throw error;
    expect(error.is('AUTHENTICATION_ERROR')).toBe(true);
    expect(app.log).toContainEqual(expect.objectContaining({ request_id: error.requestId, status: 401 }));
  });

  it('builds to the package that its package.json describes', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'translation-client-'));
    try {
      const compiler = join(root, 'node_modules/typescript/bin/tsc');
      await run(process.execPath, [
        compiler,
        '-p',
        join(library, 'tsconfig.json'),
        '--outDir',
        join(folder, 'dist'),
      ]);
      symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
      const { main, types } = JSON.parse(readFileSync(join(library, 'package.json'), 'utf8'));
      expect(existsSync(join(folder, types as string))).toBe(true);
      // In a process of its own, as users load it.
      const script = `const { TranslationClient } = require(${JSON.stringify(join(folder, main as string))});
        new TranslationClient({ baseUrl: process.argv[1] }).health().then(({ status }) => console.log(status));`;
      const { stdout } = await run(process.execPath, ['-e', script, app.url]);
      expect(stdout).toBe('ok\n');
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
