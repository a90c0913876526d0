import { randomBytes } from 'node:crypto';
import { inspect } from 'node:util';
import { EnvironmentError, readEnvironment } from './environment';

const aKey = (): string => randomBytes(32).toString('base64');
const read = (text: string) => readEnvironment({ CREDENTIALS_KEYS: text }).credentialsKeys;

describe('CREDENTIALS_KEYS', () => {
  it('is a list of keys, in its order', () => {
    const [first, second] = [aKey(), aKey()];
    const keys = read(` 2026-02:${first} , 2026-01:${second} `);
    expect(keys.map(({ id }) => id)).toEqual(['2026-02', '2026-01']);
    expect(keys.map(({ key }) => key.export().toString('base64'))).toEqual([first, second]);
  });

  it('prints nothing of a key', () => {
    const key = aKey();
    const environment = readEnvironment({ CREDENTIALS_KEYS: `a:${key}` });
    const printed = inspect(environment, { depth: 9, showHidden: true }) + JSON.stringify(environment);
    expect(printed).toContain('credentialsKeys');
    expect(printed).not.toContain(key.slice(0, 12));
    expect(printed).not.toContain(Buffer.from(key, 'base64').toString('hex').slice(0, 12));
  });

  const short = randomBytes(31).toString('base64');
  const long = randomBytes(33).toString('base64');
  const good = aKey();
  it.each([
    ['no ID', good, 1],
    ['an empty ID', `:${good}`, 1],
    ['a blank in the ID', `a b:${good}`, 1],
    ['31 bytes', `a:${short}`, 1],
    ['33 bytes', `a:${long}`, 1],
    ['no padding', `a:${good.slice(0, -1)}`, 1],
    ['spare bits', `a:${good.slice(0, 42)}B=`, 1],
    ['text', 'a:hunter2hunter2', 1],
    ['the same ID twice', `a:${good},a:${aKey()}`, 2],
    ['a comma at the end', `a:${good},`, 2],
  ])('refuses %s, names the entry and repeats nothing', (_what, text, entry) => {
    let message = '';
    try {
      read(text);
    } catch (error) {
      expect(error).toBeInstanceOf(EnvironmentError);
      message = String(error);
    }
    expect(message).toContain('CREDENTIALS_KEYS: expected comma separated keys');
    expect(message).toContain(`(see entry ${entry})`);
    for (const part of text.split(/[:,]/).filter((part) => part.length > 8)) {
      expect(message).not.toContain(part.slice(0, 8));
    }
  });
});
