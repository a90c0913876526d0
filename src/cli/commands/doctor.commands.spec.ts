import { Readable } from 'node:stream';
import { DatabaseUnavailable } from '../../database/connection/database-errors';
import { finding, type Finding } from '../doctor/finding';
import { outputTo } from '../output';
import { runOver } from '../run';

describe('doctor, when the database goes away after the first checks', () => {
  it('reports what it found until then, and that the database cannot be used', async () => {
    let printed = '';
    const output = outputTo(
      (text) => (printed += text),
      () => undefined,
    );
    const first = [finding('database', 'ok', 'It answers'), finding('migrations', 'ok', 'All are applied')];
    const code = await runOver(
      {
        input: Readable.from([]),
        reach: <Result>() => Promise.resolve(first as Result),
        operate: () => Promise.reject(new DatabaseUnavailable('connect ECONNREFUSED')),
      },
      ['doctor', '--json'],
      output,
    );
    expect(code).toBe(1);
    const { findings } = JSON.parse(printed) as { findings: Finding[] };
    expect(findings.map(({ check, state }) => `${check} ${state}`)).toEqual([
      'settings ok',
      'database wrong',
      'migrations ok',
      'clock not tried',
      'keys not tried',
      'platform not tried',
    ]);
    expect(findings[1]?.detail).toContain('ECONNREFUSED');
  });
});
