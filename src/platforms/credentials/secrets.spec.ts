import { inspect } from 'node:util';
import { describeError } from '../../runtime/logging/describe-error';
import { createLogger } from '../../runtime/logging/logger';
import { Secrets } from './secrets';

describe('Secrets', () => {
  const secrets = new Secrets({ client_secret: 'hunter2' });

  it('reveal a value only by its name', () => {
    expect(secrets.names).toEqual(['client_secret']);
    expect(secrets.has('client_secret')).toBe(true);
    expect(secrets.has('toString')).toBe(false);
    expect(secrets.reveal('client_secret')).toBe('hunter2');
    expect(() => secrets.reveal('constructor')).toThrow('There is no secret constructor');
  });

  it.each<[string, () => string]>([
    ['as text', () => String(secrets)],
    ['in a template', () => `${secrets as unknown as string}`],
    ['as JSON', () => JSON.stringify({ secrets })],
    ['inspected', () => inspect({ secrets }, { depth: 9, showHidden: true, getters: true })],
    ['spread', () => JSON.stringify({ ...secrets }) + inspect({ ...secrets })],
    ['as entries', () => JSON.stringify(Object.entries(secrets))],
    [
      'in an error',
      () => JSON.stringify(describeError(new Error(`no ${String(secrets)}`, { cause: secrets }))),
    ],
  ])('print nothing of it %s', (_how, print) => {
    expect(print()).not.toContain('hunter2');
  });

  it('show no value in the log', () => {
    const lines: string[] = [];
    createLogger('trace', { write: (line) => void lines.push(line) }).info(
      { secrets, deep: [{ secrets }] },
      'x',
    );
    expect(lines).toHaveLength(1);
    expect(lines.join('')).toContain('[secrets]');
    expect(lines.join('')).not.toContain('hunter2');
  });
});
