import type { JsonObject, StoredEntityType } from '@app/mapper';
import { isGuid, recordUrl, viewOf, withOptions } from '../addresses';
import { failureOf, isGone } from '../odata-failure';
import type { Session } from '../session';
import { answered, NotPermitted, recordUnder } from './records-in';
import { PlatformRefused } from '../../platform-error';

/**
 * One record in the form of lists, with its current version. Reading a draft may give it a new version, so a version
 * from a list is no basis for a write.
 *
 * @returns undefined if the account does not see the record
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
