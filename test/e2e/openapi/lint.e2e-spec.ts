import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { documentFile } from '../../support/description/api-description';

const root = join(__dirname, '../../..');

describe('The API description', () => {
  it('passes every rule of the linter, none ignored', async () => {
    const linter = join(root, 'node_modules/@redocly/cli/bin/cli.js');
    const report = await new Promise<string>((resolve, reject) => {
      execFile(
        process.execPath,
        [linter, 'lint', documentFile, '--format=json'],
        // It would look for newer versions of itself, and report how it is used.
        {
          cwd: root,
          env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
        },
        (error, stdout, stderr) => (stdout === '' ? reject(error ?? new Error(stderr)) : resolve(stdout)),
      );
    });
    const { problems, totals } = JSON.parse(report);
    expect(problems).toEqual([]);
    expect(totals).toEqual({ errors: 0, warnings: 0, ignored: 0 });
  }, 60_000);
});
