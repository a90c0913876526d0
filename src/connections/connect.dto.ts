import { platformNames, type PlatformName } from '@app/mapper';
import { ApiProperty } from '@nestjs/swagger';
import { IsIn } from 'class-validator';

/** Body of `POST /connect`. */
export class ConnectDto {
  /** The platform to connect. */
  @ApiProperty({ enum: platformNames, description: 'The platform to connect.' })
  @IsIn(platformNames, { message: `platform must be one of ${platformNames.join(', ')}` })
  platform: PlatformName;
}
