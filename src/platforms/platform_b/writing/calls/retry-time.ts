import { ApiError } from '../../../../common/errors/api-error';
import { later } from '../../../../runtime/clock/later';
import { DATABASE_AWAY, isDatabaseOutage } from '../../../live/database-outage';
import { NotPermitted } from '../../reading/records-in';

/** The pause before a retry if the platform names none, in milliseconds. */
const SOON = 5_000;

/** The time of a retry if the platform names none. */
export function retryTime(now: Date): Date {
  return later(now, SOON);
}

/**
 * The text for people about an error of the platform, or of a database that does not respond; undefined for any other
 * error.
 */
export function reasonOf(error: unknown): string | undefined {
  if (error instanceof NotPermitted) return `platform_b refused (${error.status})`;
  if (isDatabaseOutage(error)) return DATABASE_AWAY;
  return error instanceof ApiError ? error.message : undefined;
}
