import type { ConnectionName } from '../../connector';
import type { AccessToken } from './token';
import { RecentMap } from '../../../runtime/caching/recent-map';

interface CachedToken {
  readonly token: AccessToken;
  /** By the process's own clock, in milliseconds. */
  readonly until: number;
}

/** Tokens that are kept; beyond that the oldest goes. */
const MOST = 1_000;

/** The tokens that this instance has looked up in the last moments. */
export class TokenCache {
  private readonly kept = new RecentMap<string, CachedToken>(MOST);

  find(connection: ConnectionName): AccessToken | undefined {
    const name = nameOf(connection);
    const kept = this.kept.get(name);
    if (kept === undefined) return undefined;
    if (performance.now() < kept.until) return kept.token;
    this.kept.delete(name);
    return undefined;
  }

  /** Keeps a token for so many milliseconds. */
  keep(connection: ConnectionName, token: AccessToken, milliseconds: number): void {
    this.kept.set(nameOf(connection), { token, until: performance.now() + milliseconds });
  }

  /** Forgets a token, if it is of this generation. */
  drop(connection: ConnectionName, generation: number): void {
    const name = nameOf(connection);
    if (this.kept.get(name)?.token.generation === generation) this.kept.delete(name);
  }
}

/** A connection as the key of a map. */
export function nameOf({ customerId, platform }: ConnectionName): string {
  return `${customerId} ${platform}`;
}
