/** The routes outside the API's prefix, for the probes of the process's supervisor. */
export const PROBE_PATHS = ['livez', 'readyz'] as const;

const routes: ReadonlySet<string | null> = new Set(PROBE_PATHS.map((path) => `/${path}`));

/** Whether a request is a probe, which comes every few seconds, and found nothing wrong. */
export function isUneventfulProbe(request: {
  readonly route: string | null;
  readonly status: number;
}): boolean {
  return routes.has(request.route) && request.status < 400;
}
