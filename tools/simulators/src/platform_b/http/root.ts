import { unknownSegment } from '../odata-error';
import type { Route } from '../model/pages';

/** Where the API of an environment is. */
export interface Place {
  readonly tenant: string;
  readonly environment: string;
  readonly publisher: string;
  readonly group: string;
}

/** What an address asks for. */
export type Rooted =
  | { readonly kind: 'api'; readonly route: Route; readonly root: string; readonly path: string }
  | { readonly kind: 'supported' };

/** The path of the token endpoint, on the login host. */
export function tokenPath({ tenant }: Place): string {
  return `/${tenant}/oauth2/v2.0/token`;
}

/** The path of each root, the tenant in it; it may be left out. */
export function rootPaths({ tenant, environment, publisher, group }: Place): Record<Route, string> {
  const base = `/v2.0/${tenant}/${environment}/api`;
  return { standard: `${base}/v2.0`, custom: `${base}/${publisher}/${group}/v1.0` };
}

/**
 * Sorts a path. Tenant and environment have to be ours.
 *
 * @throws ODataError 404 for an unknown address
 */
export function rooted(place: Place, path: string): Rooted {
  const environment = `/v2.0/${place.environment}/`;
  const whole = path.startsWith(environment)
    ? `/v2.0/${place.tenant}/${place.environment}/${path.slice(environment.length)}`
    : path;
  const roots = rootPaths(place);
  for (const route of ['standard', 'custom'] as const) {
    const root = roots[route];
    if (whole.startsWith(`${root}/`)) {
      return {
        kind: 'api',
        route,
        root: path.slice(0, path.length - (whole.length - root.length)),
        path: whole.slice(root.length + 1),
      };
    }
  }
  const beta = `/v2.0/${place.tenant}/${place.environment}/api/microsoft/runtime/beta/companies(`;
  if (whole.startsWith(beta) && whole.endsWith(')/webhookSupportedResources')) return { kind: 'supported' };
  throw unknownSegment(path.split('/').at(-1) ?? '');
}
