import type { MasterKey } from '../../runtime/config/credentials-keys';
import { ApiError } from '../../common/errors/api-error';

/** What is sealed does not open with the keys of `CREDENTIALS_KEYS`. The message is for the operator, and has no secret. */
export class CannotOpenSeal extends Error {}

/** Something is sealed with a master key that `CREDENTIALS_KEYS` does not have. The message is for the operator. */
export class MissingMasterKey extends CannotOpenSeal {
  override readonly name = 'MissingMasterKey';

  constructor(ids: readonly string[]) {
    const named = ids.map((id) => `"${id}"`).join(', ');
    super(
      `CREDENTIALS_KEYS lacks ${ids.length === 1 ? 'the key' : 'the keys'} ${named} that stored credentials are sealed with; add ${ids.length === 1 ? 'it' : 'them'} again`,
    );
  }
}

/** The keys of `CREDENTIALS_KEYS`: the first seals, all open. */
export class MasterKeys {
  private readonly byId: ReadonlyMap<string, MasterKey>;

  constructor(private readonly keys: readonly MasterKey[]) {
    this.byId = new Map(keys.map((key) => [key.id, key]));
  }

  /**
   * The key that seals.
   *
   * @throws ApiError CONFLICT_ERROR when the service has no keys
   */
  get first(): MasterKey {
    const [first] = this.keys;
    if (first === undefined) {
      throw new ApiError(
        'CONFLICT_ERROR',
        'Credentials cannot be stored without CREDENTIALS_KEYS; set it to a key, such as 2026-01:$(openssl rand -base64 32)',
      );
    }
    return first;
  }

  has(id: string): boolean {
    return this.byId.has(id);
  }

  /** @throws MissingMasterKey */
  get(id: string): MasterKey {
    const key = this.byId.get(id);
    if (key === undefined) throw new MissingMasterKey([id]);
    return key;
  }
}
