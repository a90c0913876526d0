import type { JsonObject, StoredEntityType } from '@app/mapper';
import { isGuid, recordUrl, viewOf, withOptions } from '../addresses';
import { failureOf, isGone } from '../odata-failure';
import type { Session } from '../session';
import { answered, NotPermitted, recordUnder } from './records-in';
import { PlatformRefused } from '../../platform-error';

/**
 * One record as a list shows it, with the version that is in force now: reading a draft may give it a new one, so what a
 * list said is no base for a write.
 *
 * @returns undefined when it is not to be seen
 * @throws PlatformError; the signal's reason
 */
export async function readRecord(
  session: Session,
  entityType: StoredEntityType,
  id: string,
  signal: AbortSignal,
): Promise<JsonObject | undefined> {
  if (!isGuid(id)) return undefined;
  const url = withOptions(recordUrl(session.settings, entityType, id), viewOf(entityType));
  const result = await session.read(url, signal);
  if (result.kind === 'answered' && !result.response.ok && isGone(failureOf(result.response))) {
    return undefined;
  }
  try {
    answered(result);
  } catch (error) {
    if (!(error instanceof NotPermitted)) throw error;
    throw new PlatformRefused('platform_b', error.status, `refused (${error.status})`);
  }
  return recordUnder(id, result);
}
