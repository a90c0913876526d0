import type { Route } from '../model/pages';

/** A request to the API, alone or in a batch, below the root of its route. */
export interface ApiCall {
  readonly route: Route;
  readonly method: string;
  /** The path below the root: `companies(…)/customers`. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** The query as it was sent, so that escapes can be detected. */
  readonly rawQuery: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** The address of the root, for links. */
  readonly root: string;
}

/** The preferences in the `Prefer` header. */
export interface Preferences {
  readonly pageSize: number | undefined;
  readonly withoutContent: boolean;
}

/** Reads `Prefer`, and ignores unknown preferences such as `return=minimal`. */
export function preferencesOf({ headers }: ApiCall): Preferences {
  const wishes = (headers.prefer ?? '').split(/[,;]/).map((wish) => wish.trim().toLowerCase());
  const size = wishes.map((wish) => /^(?:odata\.)?maxpagesize=(\d{1,9})$/.exec(wish)?.[1]).find(Boolean);
  return {
    pageSize: size === undefined || Number(size) === 0 ? undefined : Number(size),
    withoutContent: wishes.includes('return-no-content'),
  };
}
