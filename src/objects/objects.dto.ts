import { platformNames, storedEntityTypes, type PlatformName, type StoredEntityType } from '@app/mapper';
import { ApiProperty } from '@nestjs/swagger';
import { IsIn } from 'class-validator';

const missing = 'platform and entity_type are both required query parameters';

/** Query of `GET /objects`. If either parameter is missing, the message names both. */
export class ObjectsQuery {
  @ApiProperty({ enum: platformNames, description: 'The platform whose records are listed.' })
  @IsIn(platformNames, {
    message: ({ value }) =>
      value === undefined ? missing : `platform must be one of ${platformNames.join(', ')}`,
  })
  platform: PlatformName;

  @ApiProperty({ enum: storedEntityTypes, description: 'The type of the records.' })
  @IsIn(storedEntityTypes, {
    message: ({ value }) =>
      value === undefined ? missing : `entity_type must be one of ${storedEntityTypes.join(', ')}`,
  })
  entity_type: StoredEntityType;
}
