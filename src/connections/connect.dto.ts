import { platformNames, type PlatformName } from '@app/mapper';
import { ApiProperty } from '@nestjs/swagger';
import { IsOneOf } from '../common/validation/one-of.decorator';

/** Body of `POST /connect`. */
export class ConnectDto {
  /** The platform to connect. */
  @ApiProperty({ enum: platformNames, description: 'The platform to connect.' })
  @IsOneOf(platformNames)
  platform: PlatformName;
}
