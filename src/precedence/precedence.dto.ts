import { platformNames } from '@app/mapper';
import { ApiProperty } from '@nestjs/swagger';
import { ArrayMaxSize, IsArray, IsString } from 'class-validator';
import { TermReasonDto } from '../common/validation/term-reason.dto';

/** More names than there will be platforms. */
const MOST_PLATFORMS = 100;

/** Body of `PUT /precedence/{entity_type}/{field}`. */
export class PrecedenceDto extends TermReasonDto {
  @ApiProperty({
    enum: platformNames,
    isArray: true,
    minItems: 1,
    uniqueItems: true,
    description: 'The platforms whose values count first, in order. The others follow in the default order.',
  })
  @IsArray()
  @ArrayMaxSize(MOST_PLATFORMS)
  @IsString({ each: true })
  platforms: string[];
}
