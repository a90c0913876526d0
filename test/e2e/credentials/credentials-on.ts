import { LiveConnectionRow } from '../../../src/database/entities/live-connection.entity';
import { CredentialsRepository } from '../../../src/platforms/credentials/credentials.repository';
import { CredentialsService } from '../../../src/platforms/credentials/credentials.service';
import type { MasterKeys } from '../../../src/platforms/credentials/master-keys';
import type { OpenUnitOfWork } from '../database/open-unit-of-work';

/** The credentials in a database, without an application. */
export function credentialsOn(
  { unitOfWork, dataSource }: Pick<OpenUnitOfWork, 'unitOfWork' | 'dataSource'>,
  keys: MasterKeys,
): CredentialsService {
  const rows = new CredentialsRepository(dataSource.getRepository(LiveConnectionRow));
  return new CredentialsService(unitOfWork, rows, keys);
}
