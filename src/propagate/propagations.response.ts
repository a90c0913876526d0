import { storedEntityTypes, type PlatformName, type StoredEntityType } from '@app/mapper';
import { ApiProperty } from '@nestjs/swagger';
import { changeStates, type ChangeState } from '../outbox/history/change-state';
import { PropagatedPlatforms, type PropagatedEntry } from './propagate.response';

/** A change in the list of changes. */
export class ListedPropagation {
  @ApiProperty({ format: 'uuid', description: 'For `GET /propagations/{id}`.' })
  readonly propagation_id: string;

  @ApiProperty({ description: 'The ID that the object had when it was changed.' })
  readonly canonical_id: string;

  @ApiProperty({ enum: storedEntityTypes })
  readonly entity_type: StoredEntityType;

  @ApiProperty({ format: 'date-time', description: 'When the change was accepted.' })
  readonly at: string;

  @ApiProperty({
    enum: changeStates,
    description:
      'The first of `held`, `uncertain`, `pending` and `rejected` that the entry of any platform has, otherwise `settled`.',
  })
  readonly state: ChangeState;

  @ApiProperty({
    type: PropagatedPlatforms,
    description: 'The present outcome of the change on each platform.',
  })
  readonly propagated: Readonly<Partial<Record<PlatformName, PropagatedEntry>>>;

  @ApiProperty({ type: String, nullable: true, description: 'Why, as the request said.' })
  readonly reason: string | null;

  @ApiProperty({ type: String, nullable: true, description: 'Who decided the change, as the request said.' })
  readonly decided_by: string | null;

  @ApiProperty({ description: 'ID of the request that made the change.' })
  readonly request_id: string;
}
