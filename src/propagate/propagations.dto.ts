import { platformNames, storedEntityTypes, type PlatformName, type StoredEntityType } from '@app/mapper';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsString } from 'class-validator';
import { IsBoundCursor, IsPageSize } from '../common/validation/page-parameters.decorators';
import { IsTimeParameter } from '../common/validation/time-parameter.decorator';
import { IfPresent } from '../common/validation/json-object.validator';
import { IsDecider, IsReason, LONGEST } from '../common/validation/reason.decorators';
import { IsOneOf } from '../common/validation/one-of.decorator';
import { changeStates, type ChangeState } from '../outbox/history/change-state';

const decisionActions = ['retry', 'discard'] as const;

/** Query of `GET /propagations`. */
export class PropagationsQuery {
  @ApiPropertyOptional({
    enum: changeStates,
    description:
      'Only changes in this state. The state of a change is the first of `held`, `uncertain`, `pending` and `rejected` that the entry of any platform has, otherwise `settled`.',
  })
  @IfPresent()
  @IsOneOf(changeStates)
  state?: ChangeState;

  @ApiPropertyOptional({ enum: platformNames, description: 'Only changes with an entry of this platform.' })
  @IfPresent()
  @IsOneOf(platformNames)
  platform?: PlatformName;

  @ApiPropertyOptional({ enum: storedEntityTypes, description: 'Only changes of objects of this type.' })
  @IfPresent()
  @IsOneOf(storedEntityTypes)
  entity_type?: StoredEntityType;

  @ApiPropertyOptional({
    type: String,
    description: 'Only changes of this object, also those from before another object became part of it.',
  })
  @IfPresent()
  @IsString()
  canonical_id?: string;

  @IsTimeParameter(
    'Only changes from this time on. A date without a time means the start of that day in the customer’s time zone.',
  )
  since?: string;

  @IsTimeParameter(
    'Only changes up to this time. A date without a time means the end of that day in the customer’s time zone.',
  )
  until?: string;

  @IsPageSize('Maximum number of changes on a page.')
  limit?: number;

  @IsBoundCursor()
  cursor?: string;
}

/** Body of `POST /propagations/{id}/decisions`. */
export class PropagationDecisionDto {
  @ApiProperty({ enum: platformNames, description: 'The platform whose write is decided about.' })
  @IsOneOf(platformNames)
  platform: PlatformName;

  @ApiProperty({
    enum: decisionActions,
    description:
      '`retry`: resume the write now; the service first checks whether it happened. `discard`: end it and take back what was accepted, as if the platform had rejected it.',
  })
  @IsOneOf(decisionActions)
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
