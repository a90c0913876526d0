import { createSecretKey, randomBytes, randomUUID } from 'node:crypto';
import type { MasterKey } from '../../runtime/config/credentials-keys';
import { newEnvelope, openText, rewrapKey, SealBroken, type SealedKey, type SealedPlace } from './envelope';
import { MasterKeys, MissingMasterKey } from './master-keys';

const aKey = (id: string): MasterKey => ({ id, key: createSecretKey(randomBytes(32)) });
const aPlace = (): SealedPlace => ({
  table: 'live_connections',
  customerId: randomUUID(),
  row: 'platform_a',
});

describe('an envelope', () => {
  const master = aKey('first');
  const keys = new MasterKeys([master]);
  const place = aPlace();
  const { key, seal } = newEnvelope(master, place);
  const sealed = seal('secrets', 'hunter2 – ключ');
  const open = (over: Partial<SealedPlace> = {}, name = 'secrets', with_: SealedKey = key, text = sealed) =>
    openText(keys, { ...place, ...over }, with_, name, text);

  it('opens for the row that it was sealed for', () => {
    expect(open()).toBe('hunter2 – ключ');
    expect(open({ customerId: place.customerId.toUpperCase() })).toBe('hunter2 – ключ');
    expect(openText(keys, place, key, 'empty', seal('empty', ''))).toBe('');
  });

  it('begins with its version, shows nothing and is never the same twice', () => {
    expect(sealed[0]).toBe(1);
    expect(key.sealedKey[0]).toBe(1);
    expect(sealed.toString('latin1')).not.toContain('hunter2');
    expect(seal('secrets', 'hunter2 – ключ').equals(sealed)).toBe(false);
    const other = newEnvelope(master, place);
    expect(other.key.sealedKey.equals(key.sealedKey)).toBe(false);
  });

  it.each<[string, Partial<SealedPlace>, string]>([
    ['customer', { customerId: randomUUID() }, 'secrets'],
    ['row', { row: 'platform_b' }, 'secrets'],
    ['table', { table: 'platform_tokens' }, 'secrets'],
    ['column', {}, 'access_token'],
  ])('does not open for another %s', (_what, over, name) => {
    expect(() => open(over, name)).toThrow(SealBroken);
  });

  it('binds its key to its row: it does not open with the text of another row', () => {
    const elsewhere = aPlace();
    const other = newEnvelope(master, elsewhere);
    expect(() => openText(keys, place, other.key, 'secrets', other.seal('secrets', 'x'))).toThrow(SealBroken);
  });

  it.each(sealed.toJSON().data.map((_byte, index) => index))('notices a change of byte %i', (index) => {
    const altered = Buffer.from(sealed);
    altered.writeUInt8(altered.readUInt8(index) ^ 1, index);
    expect(() => open({}, 'secrets', key, altered)).toThrow(SealBroken);
  });

  it.each([0, 1, 28, sealed.length - 1])('notices that only %i bytes are left', (length) => {
    expect(() => open({}, 'secrets', key, sealed.subarray(0, length))).toThrow(SealBroken);
  });

  it('says which master key is missing', () => {
    expect(() => openText(new MasterKeys([aKey('second')]), place, key, 'secrets', sealed)).toThrow(
      new MissingMasterKey(['first']),
    );
  });

  it('does not open with another key of the same ID', () => {
    expect(() => openText(new MasterKeys([aKey('first')]), place, key, 'secrets', sealed)).toThrow(
      SealBroken,
    );
  });

  it('gets another seal on its key, and its text stays', () => {
    const next = aKey('next');
    const after = rewrapKey(new MasterKeys([next, master]), place, key);
    expect(after.masterKeyId).toBe('next');
    expect(openText(new MasterKeys([next]), place, after, 'secrets', sealed)).toBe('hunter2 – ключ');
    expect(() =>
      openText(
        new MasterKeys([{ ...next, id: 'first' }]),
        place,
        { ...after, masterKeyId: 'first' },
        'secrets',
        sealed,
      ),
    ).toThrow(SealBroken);
    expect(() => openText(keys, place, after, 'secrets', sealed)).toThrow(MissingMasterKey);
  });
});

describe('no master keys', () => {
  it('seal nothing, and say what to set', () => {
    expect(() => new MasterKeys([]).first).toThrow(/^Credentials cannot be stored without CREDENTIALS_KEYS/);
  });
});
