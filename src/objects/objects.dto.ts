import { platformNames, storedEntityTypes, type PlatformName, type StoredEntityType } from '@app/mapper';
import { IsIn } from 'class-validator';

const missing = 'platform and entity_type are both required query parameters';

/** Query of `GET /objects`. If either parameter is missing, the message names both. */
export class ObjectsQuery {
  @IsIn(platformNames, {
    message: ({ value }) => (value === undefined ? missing : `platform must be one of ${platformNames.join(', ')}`),
  })
  platform: PlatformName;

  @IsIn(storedEntityTypes, {
    message: ({ value }) =>
      value === undefined ? missing : `entity_type must be one of ${storedEntityTypes.join(', ')}`,
  })
  entity_type: StoredEntityType;
}
