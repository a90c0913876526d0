const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/**
 * Milliseconds between a failed attempt and the next one, by the number of attempts so far. After the last there is
 * none.
 */
const PAUSES = [5 * SECOND, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR, 10 * HOUR] as const;

/** The share of a pause by which chance makes it longer, so that what failed together does not come back together. */
const JITTER = 0.2;

/** An endpoint at which no attempt has succeeded for this time is disabled once a delivery is dropped. */
const GIVEN_UP_AFTER = 5 * DAY;

/**
 * Milliseconds until the next attempt of a delivery; undefined if there is none. Pure.
 *
 * @param attempts so far, at least one
 * @param random from 0 to 1
 */
export function pauseAfter(attempts: number, random: number): number | undefined {
  const pause = PAUSES[attempts - 1];
  return pause === undefined ? undefined : Math.round(pause * (1 + JITTER * random));
}

/** Whether an endpoint has failed for so long that the next delivery that is dropped disables it. */
export function isGivenUp(failingSince: Date | null, now: Date): boolean {
  return failingSince !== null && now.getTime() - failingSince.getTime() >= GIVEN_UP_AFTER;
}
