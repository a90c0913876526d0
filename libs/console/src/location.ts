import { useSyncExternalStore } from 'react';

/**
 * The location within the console: a path and a query, both after the `#` of the address. So no object ID and no filter
 * is part of a request or of a proxy's log. wouter's own hook puts queries before the `#`.
 */
export interface Place {
  readonly path: string;
  /** Without the question mark. */
  readonly search: string;
}

/** The place that a hash such as `#/cases?kind=only_on` names. */
export function placeOf(hash: string): Place {
  const [path = '', ...search] = hash.replace(/^#?\/?/, '').split('?');
  return { path: `/${path}`, search: search.join('?') };
}

/** A path with the query members that have a value: `/cases?kind=only_on`. */
export function hrefOf(path: string, query: Readonly<Record<string, string | undefined>> = {}): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== '') search.set(name, value);
  }
  return search.size === 0 ? path : `${path}?${search.toString()}`;
}

function subscribe(listener: () => void): () => void {
  addEventListener('hashchange', listener);
  return () => removeEventListener('hashchange', listener);
}

/** Goes to a place; with `replace` the browser's Back does not return to the one before. */
export function navigate(to: string, { replace = false }: { readonly replace?: boolean } = {}): void {
  const before = location.href;
  history[replace ? 'replaceState' : 'pushState'](null, '', `#${to}`);
  dispatchEvent(new HashChangeEvent('hashchange', { oldURL: before, newURL: location.href }));
}

/** The path, as wouter's Router wants it. */
export function usePath(): [string, typeof navigate] {
  return [useSyncExternalStore(subscribe, () => placeOf(location.hash).path), navigate];
}
usePath.hrefs = (href: string): string => `#${href}`;

/** The query, as wouter's Router wants it. */
export function useSearchText(): string {
  return useSyncExternalStore(subscribe, () => placeOf(location.hash).search);
}

/** The members of the query. */
export function useQueryMembers(): URLSearchParams {
  return new URLSearchParams(useSearchText());
}
