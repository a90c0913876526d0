import { createCipheriv, createDecipheriv, createSecretKey, randomBytes, type KeyObject } from 'node:crypto';
import type { MasterKey } from '../../runtime/config/credentials-keys';
import { CannotOpenSeal, type MasterKeys } from './master-keys';

/** The row for which a text is sealed. A text that is sealed for one row cannot be opened for another one. */
export interface SealedPlace {
  readonly table: 'live_connections' | 'platform_tokens' | 'webhook_secrets';
  readonly customerId: string;
  /** The part of the row's key after the customer: a platform, or an ID. */
  readonly row: string;
}

/** The data key of a row, sealed with a master key. */
export interface SealedKey {
  readonly masterKeyId: string;
  readonly sealedKey: Buffer;
}

/** A fresh data key for the texts of one row. */
export interface Envelope {
  readonly key: SealedKey;
  /** Seals one text of the row; the name binds it to its column. */
  readonly seal: (name: string, text: string) => Buffer;
}

/** A sealed text is not one of ours, belongs to another row, or was altered. */
export class SealBroken extends CannotOpenSeal {
  override readonly name = 'SealBroken';
}

const CIPHER = 'aes-256-gcm';
const VERSION = 1;
const NONCE = 12;
const TAG = 16;
const DATA_KEY = 32;
const DATA_KEY_NAME = 'data_key';

/** Makes a data key for a row, sealed with the master key. */
export function newEnvelope(master: MasterKey, place: SealedPlace): Envelope {
  const bytes = randomBytes(DATA_KEY);
  const dataKey = createSecretKey(bytes);
  return {
    key: sealKey(master, place, bytes),
    seal: (name, text) => seal(dataKey, Buffer.from(text, 'utf8'), purposeOf(place, name)),
  };
}

/**
 * Opens a text of a row.
 *
 * @throws MissingMasterKey
 * @throws SealBroken
 */
export function openText(
  keys: MasterKeys,
  place: SealedPlace,
  key: SealedKey,
  name: string,
  sealed: Buffer,
): string {
  const dataKey = createSecretKey(openKey(keys, place, key));
  return open(dataKey, sealed, purposeOf(place, name)).toString('utf8');
}

/**
 * Seals the data key of a row with the first master key. The texts stay as they are.
 *
 * @throws MissingMasterKey
 * @throws SealBroken
 */
export function rewrapKey(keys: MasterKeys, place: SealedPlace, key: SealedKey): SealedKey {
  return sealKey(keys.first, place, openKey(keys, place, key));
}

/** Whether the data key of a row opens. @throws MissingMasterKey */
export function keyOpens(keys: MasterKeys, place: SealedPlace, key: SealedKey): boolean {
  try {
    openKey(keys, place, key);
    return true;
  } catch (error) {
    if (error instanceof SealBroken) return false;
    throw error;
  }
}

function sealKey(master: MasterKey, place: SealedPlace, dataKey: Buffer): SealedKey {
  const purpose = purposeOf(place, DATA_KEY_NAME, master.id);
  return { masterKeyId: master.id, sealedKey: seal(master.key, dataKey, purpose) };
}

function openKey(keys: MasterKeys, place: SealedPlace, { masterKeyId, sealedKey }: SealedKey): Buffer {
  const { key } = keys.get(masterKeyId);
  try {
    return open(key, sealedKey, purposeOf(place, DATA_KEY_NAME, masterKeyId));
  } catch (cause) {
    throw new SealBroken(
      `The key "${masterKeyId}" of CREDENTIALS_KEYS does not open what is sealed with it: it is another key of that ID, or the stored row was altered`,
      { cause },
    );
  }
}

/** The data to which a seal is bound. A JSON list, so that no two places give the same bytes. */
function purposeOf({ table, customerId, row }: SealedPlace, name: string, masterKeyId = ''): Buffer {
  return Buffer.from(
    JSON.stringify([VERSION, customerId.toLowerCase(), row, table, name, masterKeyId]),
    'utf8',
  );
}

/** Version, nonce, tag, then the encrypted bytes. */
function seal(key: KeyObject, plain: Buffer, purpose: Buffer): Buffer {
  const nonce = randomBytes(NONCE);
  const cipher = createCipheriv(CIPHER, key, nonce, { authTagLength: TAG });
  cipher.setAAD(purpose);
  const encrypted = Buffer.concat([cipher.update(plain), cipher.final()]);
  return Buffer.concat([Buffer.of(VERSION), nonce, cipher.getAuthTag(), encrypted]);
}

function open(key: KeyObject, sealed: Buffer, purpose: Buffer): Buffer {
  if (sealed.length < 1 + NONCE + TAG) throw new SealBroken('A sealed text is too short');
  if (sealed[0] !== VERSION) throw new SealBroken('A sealed text is of an unknown version');
  const nonce = sealed.subarray(1, 1 + NONCE);
  const decipher = createDecipheriv(CIPHER, key, nonce, { authTagLength: TAG });
  decipher.setAAD(purpose);
  decipher.setAuthTag(sealed.subarray(1 + NONCE, 1 + NONCE + TAG));
  try {
    return Buffer.concat([decipher.update(sealed.subarray(1 + NONCE + TAG)), decipher.final()]);
  } catch (cause) {
    throw new SealBroken('A sealed text was altered, or belongs to another row or key', { cause });
  }
}
