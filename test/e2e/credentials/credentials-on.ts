import { LiveConnectionRow } from '../../../src/database/entities/live-connection.entity';
import { WebhookScheduleRow } from '../../../src/database/entities/webhook-schedule.entity';
import { CredentialsRepository } from '../../../src/platforms/credentials/credentials.repository';
import { CredentialsService } from '../../../src/platforms/credentials/credentials.service';
import { WebhookSchedulesRepository } from '../../../src/platforms/webhook-schedules.repository';
import type { MasterKeys } from '../../../src/platforms/credentials/master-keys';
import type { OpenUnitOfWork } from '../database/open-unit-of-work';

/** The credentials in a database, without an application. */
export function credentialsOn(
  { unitOfWork, dataSource }: Pick<OpenUnitOfWork, 'unitOfWork' | 'dataSource'>,
  keys: MasterKeys,
): CredentialsService {
  const webhooks = new WebhookSchedulesRepository(dataSource.getRepository(WebhookScheduleRow));
  const rows = new CredentialsRepository(dataSource.getRepository(LiveConnectionRow), webhooks);
  return new CredentialsService(unitOfWork, rows, keys);
}
