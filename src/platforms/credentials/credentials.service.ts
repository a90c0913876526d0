import { Injectable } from '@nestjs/common';
import { isJsonObject, parseJsonText, type JsonObject, type PlatformName } from '@app/mapper';
import type { CustomerTransaction } from '../../database/transaction/store';
import { UnitOfWork } from '../../database/transaction/unit-of-work';
import { ApiError } from '../../common/errors/api-error';
import {
  CredentialsRepository,
  keysOtherThan,
  kindOfCustomer,
  masterKeysInUse,
  replaceKey,
  sealedTables,
  someKeysOf,
  type PlacedKey,
  type StoredRow,
} from './credentials.repository';
import { keyOpens, newEnvelope, openText, rewrapKey, SealBroken, type SealedPlace } from './envelope';
import { MasterKeys, MissingMasterKey } from './master-keys';
import { Secrets } from './secrets';

/** The credentials of a customer for a platform, decrypted. */
export interface LiveCredentials {
  readonly platform: PlatformName;
  /** Not secret: addresses, company, currency. The shape is the platform's. */
  readonly settings: JsonObject;
  readonly secrets: Secrets;
  readonly changedAt: Date;
}

/** Credentials as operators see them. */
export interface ShownCredentials extends Omit<LiveCredentials, 'secrets'> {
  /** ID of the master key that seals the secrets. */
  readonly masterKeyId: string;
}

/** The name of the text that a row seals. */
const TEXT = 'secrets';

/** How long the customer's lock is tried for, in milliseconds. */
const LOCK_WAIT_MS = 20_000;

/** Rows that are sealed anew at a time. */
const PAGE = 100;

/** Rows of a table that are tried to open with a key: a single one may have been altered. */
const SAMPLE = 20;

/** The credentials of live connections. Their secrets are sealed at rest and opened for connectors alone. */
@Injectable()
export class CredentialsService {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly credentials: CredentialsRepository,
    private readonly keys: MasterKeys,
  ) {}

  /**
   * Stores credentials and replaces former ones; the connection is live from now on. Tokens of the former credentials
   * are deleted.
   *
   * @param settings valid for the platform
   * @param before runs before the credentials are stored, in the same transaction, and may refuse them by an error
   * @throws ApiError NOT_FOUND without such a customer; CONFLICT_ERROR for a demo customer, and without
   *   CREDENTIALS_KEYS
   */
  async set(
    customerId: string,
    platform: PlatformName,
    settings: JsonObject,
    secrets: Secrets,
    before: (tx: CustomerTransaction) => Promise<void> = () => Promise.resolve(),
  ): Promise<void> {
    const envelope = newEnvelope(this.keys.first, placeOf(customerId, platform));
    const sealed = { key: envelope.key, secrets: envelope.seal(TEXT, textOf(secrets)) };
    await this.unitOfWork.runFor(
      customerId,
      async (tx) => {
        if ((await kindOfCustomer(tx)) === 'demo') {
          throw new ApiError(
            'CONFLICT_ERROR',
            `Customer ${customerId} is a demo session, and demo sessions have sandboxes only`,
          );
        }
        await before(tx);
        await this.credentials.save(tx, platform, settings, sealed);
      },
      { deadlines: 'bulk', lockWaitMs: LOCK_WAIT_MS },
    );
  }

  /**
   * The credentials of a connection, with their secrets. For connectors.
   *
   * @returns undefined for a sandbox
   * @throws MissingMasterKey, SealBroken
   */
  async find(customerId: string, platform: PlatformName): Promise<LiveCredentials | undefined> {
    const row = await this.row(customerId, platform);
    if (row === undefined) return undefined;
    const { settings, sealed, changedAt } = row;
    const text = openText(this.keys, placeOf(customerId, platform), sealed.key, TEXT, sealed.secrets);
    return { platform, settings, secrets: secretsFrom(text), changedAt };
  }

  /** The credentials of a connection without their secrets; undefined for a sandbox. Needs no key. */
  async show(customerId: string, platform: PlatformName): Promise<ShownCredentials | undefined> {
    const row = await this.row(customerId, platform);
    return (
      row && {
        platform,
        settings: row.settings,
        changedAt: row.changedAt,
        masterKeyId: row.sealed.key.masterKeyId,
      }
    );
  }

  /** Removes credentials and tokens within the caller's transaction; whether there were any. */
  remove(tx: CustomerTransaction, platform: PlatformName): Promise<boolean> {
    return this.credentials.remove(tx, platform);
  }

  /**
   * Seals again with the first master key whatever is sealed with another one: page by page, each row in a transaction
   * of its own, while instances work. The caller may interrupt and repeat it.
   *
   * @returns the number of rows that were sealed again
   * @throws ApiError CONFLICT_ERROR without CREDENTIALS_KEYS
   * @throws MissingMasterKey if the master key of a row is missing, SealBroken if a row does not open with the key that
   *   it names; all other rows are sealed again by then
   */
  async rewrap(): Promise<number> {
    const missing = new Set<string>();
    const broken: [SealedPlace, SealBroken][] = [];
    let rewrapped = 0;
    for (const table of sealedTables) {
      for await (const key of this.otherKeys(table)) {
        if (!this.keys.has(key.masterKeyId)) {
          missing.add(key.masterKeyId);
          continue;
        }
        try {
          if (await this.rewrapOne(key)) rewrapped += 1;
        } catch (error) {
          if (!(error instanceof SealBroken)) throw error;
          broken.push([key.place, error]);
        }
      }
    }
    if (missing.size > 0) throw new MissingMasterKey([...missing].sort());
    const [first] = broken;
    if (first !== undefined) throw notRewrapped(broken.length, ...first);
    return rewrapped;
  }

  /**
   * Looks whether each key that something is sealed with is there, and opens some of it.
   *
   * @throws MissingMasterKey naming the keys that are not there; SealBroken when another key has the ID of one
   */
  async refuseMissingKeys(): Promise<void> {
    const used = await this.unitOfWork.run(masterKeysInUse, { deadlines: 'bulk', readOnly: true });
    const missing = used.filter((id) => !this.keys.has(id));
    if (missing.length > 0) throw new MissingMasterKey(missing);
    for (const id of used) {
      if (await this.opensNothing(id)) {
        throw new SealBroken(
          `The key "${id}" of CREDENTIALS_KEYS is another one than the key of that ID that stored credentials are sealed with; set that one again`,
        );
      }
    }
  }

  /** Whether a key opens none of the rows that name it; some of them are tried. False if no row names the key. */
  private async opensNothing(masterKeyId: string): Promise<boolean> {
    let tried = 0;
    for (const table of sealedTables) {
      const keys = await this.unitOfWork.run((store) => someKeysOf(store, table, masterKeyId, SAMPLE), {
        deadlines: 'bulk',
        readOnly: true,
      });
      if (keys.some((key) => keyOpens(this.keys, key.place, key))) return false;
      tried += keys.length;
    }
    return tried > 0;
  }

  private async *otherKeys(table: SealedPlace['table']): AsyncGenerator<PlacedKey, void, undefined> {
    const { id } = this.keys.first;
    let after: SealedPlace | undefined;
    for (;;) {
      const last = after;
      const page = await this.unitOfWork.run((store) => keysOtherThan(store, table, id, last, PAGE), {
        deadlines: 'bulk',
        readOnly: true,
      });
      yield* page;
      after = page.at(-1)?.place;
      if (after === undefined || page.length < PAGE) return;
    }
  }

  private rewrapOne(key: PlacedKey): Promise<boolean> {
    const after = rewrapKey(this.keys, key.place, key);
    return this.unitOfWork.runFor(key.place.customerId, (tx) => replaceKey(tx, key, after));
  }

  private row(customerId: string, platform: PlatformName): Promise<StoredRow | undefined> {
    return this.unitOfWork.runFor(customerId, (tx) => this.credentials.find(tx, platform), {
      readOnly: true,
    });
  }
}

function placeOf(customerId: string, platform: PlatformName): SealedPlace {
  return { table: 'live_connections', customerId, row: platform };
}

function notRewrapped(rows: number, { table, customerId, row }: SealedPlace, error: SealBroken): SealBroken {
  const some = rows === 1 ? 'One row' : `${rows} rows`;
  return new SealBroken(
    `${some} cannot be sealed anew: ${table} of customer ${customerId} (${row})${rows === 1 ? '' : ' and others'}. ${error.message}`,
    { cause: error },
  );
}

function textOf(secrets: Secrets): string {
  return JSON.stringify(Object.fromEntries(secrets.names.map((name) => [name, secrets.reveal(name)])));
}

function secretsFrom(text: string): Secrets {
  const value = parseJsonText(text);
  if (!isJsonObject(value)) throw new Error('Sealed secrets are no JSON object');
  return new Secrets(
    Object.fromEntries(
      Object.entries(value).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
    ),
  );
}
