import { Readable } from 'node:stream';
import { MissingMasterKey } from '../platforms/credentials/master-keys';
import { outputTo } from './output';
import { runOver, thenClose } from './run';

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

describe('work after which something cannot be closed', () => {
  const close = () => Promise.reject(new Error('Connection lost'));

  it('keeps its result, which may be a new key', async () => {
    const logger = { warn: jest.fn() };
    expect(await thenClose(() => Promise.resolve('key'), close, logger)).toBe('key');
    expect(logger.warn).toHaveBeenCalledTimes(1);
  });

  it('keeps its error', async () => {
    const fail = () => Promise.reject(new Error('No such customer'));
    await expect(thenClose(fail, close, { warn: jest.fn() })).rejects.toThrow('No such customer');
  });
});
