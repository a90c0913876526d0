import { platformNames, storedEntityTypes, type PlatformName, type StoredEntityType } from '@app/mapper';
import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import { MoneySum } from '../statement/statement.response';
import { figureParts } from './signed-figures';
import { signoffStates } from './signoff-states';
import { signoffRoles, type SignoffRole } from './stored-signoff';
import {
  nullableDay,
  nullablePlatform,
  nullableText,
  nullableType,
} from '../../common/openapi/schemas/nullable-schemas';

const count = { type: 'integer', minimum: 0 } as const;

/** Which figure of a statement is meant. */
class FigureName {
  @ApiProperty({ enum: storedEntityTypes })
  readonly entity_type: StoredEntityType;

  @ApiProperty({ enum: figureParts, description: 'The member of the statement’s type that has the figure.' })
  readonly part: (typeof figureParts)[number];

  @ApiProperty({
    description:
      'Of `counts` the state: `agree`, `disagree`, `only_on`, `ambiguous`, `accepted`, `deleted`. Of `totals` a cause as in the statement’s lines, its accepted part (`accepted_of_<cause>`), or `records`, `sum`, `without_amount` and `outside` of a platform.',
  })
  readonly line: string;

  @ApiProperty({
    ...nullablePlatform,
    description: 'The platform of the figure; null for a figure of both.',
  })
  readonly platform: PlatformName | null;
}

/** The value of a figure: the number of its objects or records, and its amount. */
@ApiSchema({ name: 'FigureValue' })
export class FigureValue {
  @ApiProperty({ ...count, description: 'Objects or records.' })
  readonly count: number;

  @ApiProperty({ type: MoneySum, nullable: true, description: 'Null for a figure that only counts.' })
  readonly amount: MoneySum | null;
}

/** A figure as it was signed. */
@ApiSchema({ name: 'SignedFigure' })
export class SignedFigureResponse extends FigureName {
  @ApiProperty({ ...count, description: 'Objects or records.' })
  readonly count: number;

  @ApiProperty({ type: MoneySum, nullable: true, description: 'Null for a figure that only counts.' })
  readonly amount: MoneySum | null;
}

/** A figure that is not as it was signed. */
@ApiSchema({ name: 'FigureChange' })
export class FigureChangeResponse extends FigureName {
  @ApiProperty({ type: FigureValue, description: 'As it was signed.' })
  readonly before: FigureValue;

  @ApiProperty({ type: FigureValue, description: 'As it is known now.' })
  readonly after: FigureValue;
}

/** The statement that signed figures were compared with. */
@ApiSchema({ name: 'ComparedStatement' })
export class ComparedStatement {
  @ApiProperty({ format: 'date-time', description: 'The moment that it shows.' })
  readonly as_of: string;

  @ApiProperty({
    description: 'Whether that statement is complete. If it is not, `current` may change once it is.',
  })
  readonly complete: boolean;
}

/** How a sign-off ended. */
@ApiSchema({ name: 'SignoffWithdrawal' })
export class SignoffWithdrawal {
  @ApiProperty({ format: 'date-time' })
  readonly at: string;

  @ApiProperty({ description: 'Who withdrew it.' })
  readonly by: string;

  @ApiProperty({ description: 'Why.' })
  readonly reason: string;
}

/** A name under the figures of a statement. */
export class Signoff {
  @ApiProperty({ format: 'uuid' })
  readonly id: string;

  @ApiProperty({ enum: signoffRoles })
  readonly role: SignoffRole;

  @ApiProperty()
  readonly signed_by: string;

  @ApiProperty(nullableText)
  readonly note: string | null;

  @ApiProperty({ format: 'date-time', description: 'When it was signed, by the database’s clock.' })
  readonly signed_at: string;

  @ApiProperty({ enum: signoffStates.states })
  readonly state: 'standing' | 'withdrawn';

  @ApiProperty({ type: SignoffWithdrawal, nullable: true, description: 'Null while the sign-off stands.' })
  readonly withdrawn: SignoffWithdrawal | null;

  @ApiProperty({ format: 'date-time', description: 'The moment that the statement shows.' })
  readonly as_of: string;

  @ApiProperty({
    ...nullableDay,
    description: 'The day up to which documents count; null for all.',
  })
  readonly through: string | null;

  @ApiProperty({ enum: platformNames, isArray: true })
  readonly platforms: readonly PlatformName[];

  @ApiProperty(nullableType)
  readonly entity_type: StoredEntityType | null;

  @ApiProperty({ ...nullableText, description: 'Canonical ID; null for all projects.' })
  readonly project_id: string | null;

  @ApiProperty()
  readonly currency: string;

  @ApiProperty({ description: 'Digest of the statement.' })
  readonly digest: string;

  @ApiProperty({
    description:
      'Whether every signed figure equals the present one, for the same documents. False for a sign-off that is withdrawn.',
  })
  readonly current: boolean;

  @ApiProperty({
    type: [FigureChangeResponse],
    description:
      'The figures that have changed since the signature, in the order of the statement. A list shows the first hundred.',
  })
  readonly changes: readonly FigureChangeResponse[];

  @ApiProperty({ ...count, description: 'The number of figures that have changed since the signature.' })
  readonly changes_total: number;

  @ApiProperty({
    type: ComparedStatement,
    nullable: true,
    description: 'The statement that the figures were compared with; null for a sign-off that is withdrawn.',
  })
  readonly compared: ComparedStatement | null;

  @ApiPropertyOptional({ type: [SignedFigureResponse], description: 'The signed figures; not in lists.' })
  readonly figures?: readonly SignedFigureResponse[];
}
