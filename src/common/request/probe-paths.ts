/** The routes outside the API's prefix, for what runs the process. */
export const PROBE_PATHS = ['livez', 'readyz'] as const;
