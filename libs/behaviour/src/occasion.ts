import { randomInt, randomUUID } from 'node:crypto';
import type { Occasion } from './behaviour';

const NO_GUID = '00000000-0000-0000-0000-000000000000';

/** The occasion of a real write: new values are random. */
export function occasionAt(now: Date): Occasion {
  return { now, integer: (least, limit) => randomInt(least, limit), guid: () => randomUUID() };
}

/** The occasion of a forecast: new values are placeholders, so that equal writes have equal forecasts. */
export function forecastAt(now: Date): Occasion {
  return { now, integer: (least) => least, guid: () => NO_GUID };
}
