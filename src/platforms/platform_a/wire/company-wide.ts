import { PlatformRefused } from '../../platform-error';
import { ownRefusal } from './read-page';
import type { Session } from './session';

/**
 * Waits for work without which nothing of a company can be read. If the platform refuses it, the error says that the
 * connection is refused, not only one list.
 *
 * @throws PlatformRefused; any other error of the work
 */
export async function companyWide<Result>(
  { connection }: Pick<Session, 'connection'>,
  work: Promise<Result>,
): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    const { status } = ownRefusal(error);
    throw new PlatformRefused(connection.platform, status, `refused (${status})`);
  }
}
