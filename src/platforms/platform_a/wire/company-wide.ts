import { PlatformRefused } from '../../platform-error';
import { NotReadable } from './read-page';
import type { Session } from './session';

/**
 * Work without which nothing of a company can be read: what is not readable then is the company.
 *
 * @throws PlatformError
 */
export async function companyWide<Result>(
  { connection }: Pick<Session, 'connection'>,
  work: Promise<Result>,
): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof NotReadable)) throw error;
    throw new PlatformRefused(connection.platform, error.status, `refused (${error.status})`);
  }
}
