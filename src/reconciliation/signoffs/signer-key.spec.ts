import { signerKeyOf } from './signer-key';

describe('the key of a name under a statement', () => {
  it.each([
    ['  ADA  lovelace ', 'ada lovelace'],
    ['Ada\u200b Lovelace', 'ada lovelace'],
    ['\u200fمريم\u200f', 'مريم'],
    ['Ada\u00ad Love\u2060lace\ufe0f', 'ada lovelace'],
    ['\u202aAda Lovelace\u202c', 'ada lovelace'],
    ['Ada \u200b Lovelace', 'ada lovelace'],
    ['\uffa0Ada', 'ada'],
  ])('of %j is %j', (name, key) => {
    expect(signerKeyOf(name)).toBe(key);
  });

  it.each(['', ' ', '\u200b', '\u200e \u00ad', '\u3164'])('is none for %j', (name) => {
    expect(signerKeyOf(name)).toBeUndefined();
  });

  it('keeps names apart that look different', () => {
    expect(signerKeyOf('Ada')).not.toBe(signerKeyOf('Adá'));
  });
});
