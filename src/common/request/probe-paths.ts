/** The routes outside the API's prefix, for the probes of the process's supervisor. */
export const PROBE_PATHS = ['livez', 'readyz'] as const;
