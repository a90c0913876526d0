/**
 * The most runs that one instance begins by the schedule at a time, and the most that it takes over at a time. A run mostly waits:
 * for a platform's answer, and on platform_a for hours until its rate limits allow the next call. With fewer places a few such
 * runs would keep all other customers from being read. Each has a connection to its platform: see `MOST_CONNECTIONS` of
 * `src/platforms/live/transport/http-exchanges.ts`.
 */
export const MOST_RUNS = 64;

/** The most runs of one customer among them: one for each platform, so that the slower platform does not delay the other one. */
export const MOST_RUNS_OF_CUSTOMER = 2;
