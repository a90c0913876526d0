import { platformNames, storedEntityTypes, type PlatformName, type StoredEntityType } from '@app/mapper';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsString } from 'class-validator';
import { IsPageSize } from '../common/paging/page-size.decorator';
import { LONGEST_CURSOR, PAGE_SIZE } from '../common/paging/paging';
import { IsTime, timeSchema } from '../common/paging/time-parameter';
import { IfPresent } from '../common/validation/json-object.validator';
import { IsDecider, IsReason, LONGEST } from '../common/validation/reason.decorators';
import { changeStates, type ChangeState } from '../outbox/history/change-state';

export const decisionActions = ['retry', 'discard'] as const;

/** Query of `GET /propagations`. */
export class PropagationsQuery {
  @ApiPropertyOptional({
    enum: changeStates,
    description:
      'Only changes in this state. A change is in the first of `held`, `uncertain`, `pending` and `rejected` that a platform’s entry is in, otherwise `settled`.',
  })
  @IfPresent()
  @IsIn(changeStates, { message: `state must be one of ${changeStates.join(', ')}` })
  state?: ChangeState;

  @ApiPropertyOptional({ enum: platformNames, description: 'Only changes with an entry of this platform.' })
  @IfPresent()
  @IsIn(platformNames, { message: `platform must be one of ${platformNames.join(', ')}` })
  platform?: PlatformName;

  @ApiPropertyOptional({ enum: storedEntityTypes, description: 'Only changes of objects of this type.' })
  @IfPresent()
  @IsIn(storedEntityTypes, { message: `entity_type must be one of ${storedEntityTypes.join(', ')}` })
  entity_type?: StoredEntityType;

  @ApiPropertyOptional({
    type: String,
    description: 'Only changes of this object, also those from before another object became part of it.',
  })
  @IfPresent()
  @IsString()
  canonical_id?: string;

  @ApiPropertyOptional({
    ...timeSchema,
    description:
      'Only changes from this time on. A date without a time means the start of that day in the customer’s time zone.',
  })
  @IfPresent()
  @IsTime()
  since?: string;

  @ApiPropertyOptional({
    ...timeSchema,
    description:
      'Only changes up to this time. A date without a time means the end of that day in the customer’s time zone.',
  })
  @IfPresent()
  @IsTime()
  until?: string;

  @ApiPropertyOptional({
    type: 'integer',
    minimum: 1,
    maximum: PAGE_SIZE.most,
    default: PAGE_SIZE.usual,
    description: 'The most changes that a page may hold.',
  })
  @IfPresent()
  @IsPageSize()
  limit?: number;

  @ApiPropertyOptional({
    maxLength: LONGEST_CURSOR,
    description:
      'Where the page begins: `next_cursor` of the page before it. The other parameters stay as they were, but for `limit`.',
  })
  @IfPresent()
  @IsString()
  cursor?: string;
}

/** Body of `POST /propagations/{id}/decisions`. */
export class PropagationDecisionDto {
  @ApiProperty({ enum: platformNames, description: 'The platform whose write is decided about.' })
  @IsIn(platformNames, { message: `platform must be one of ${platformNames.join(', ')}` })
  platform: PlatformName;

  @ApiProperty({
    enum: decisionActions,
    description:
      '`retry`: take the write up again now; the service first looks whether it happened. `discard`: end it and take back what was accepted, as when the platform rejects it.',
  })
  @IsIn(decisionActions, { message: `action must be one of ${decisionActions.join(', ')}` })
  action: (typeof decisionActions)[number];

  @ApiProperty({ description: 'Why, in the words of who decides.', maxLength: LONGEST.reason })
  @IsReason()
  reason: string;

  @ApiProperty({
    description: 'Who decides: a name that the customer’s people know.',
    maxLength: LONGEST.decidedBy,
  })
  @IsDecider()
  decided_by: string;
}
