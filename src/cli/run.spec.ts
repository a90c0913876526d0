import { Readable } from 'node:stream';
import { MissingMasterKey } from '../platforms/credentials/master-keys';
import { outputTo } from './output';
import { runOver } from './run';

describe('a command that fails', () => {
  it.each([
    [new TypeError('of what it did'), 'The command failed: of what it did\n'],
    [
      new MissingMasterKey(['first']),
      'CREDENTIALS_KEYS lacks the key "first" that stored credentials are sealed with; add it again\n',
    ],
  ])('says why, and nothing of the service: %s', async (error, line) => {
    const printed = { out: '', err: '' };
    const output = outputTo(
      (text) => (printed.out += text),
      (text) => (printed.err += text),
    );
    const fail = () => Promise.reject(error);
    const code = await runOver({ input: Readable.from([]), operate: fail, reach: fail }, ['status'], output);
    expect({ code, ...printed }).toEqual({ code: 1, out: '', err: line });
  });
});
