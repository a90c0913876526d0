import type { PlatformName } from '@app/mapper';
import type { StatementSignoffRow } from '../../database/entities/statement-signoff.entity';

/** The roles in which a person signs a statement. */
export const signoffRoles = ['prepared', 'reviewed'] as const;
export type SignoffRole = (typeof signoffRoles)[number];

/** The scope of a signed statement: its documents, the platforms that it compares, and its currency. */
export interface SignedScope extends Readonly<
  Pick<StatementSignoffRow, 'entityType' | 'projectId' | 'currency' | 'through'>
> {
  readonly platforms: readonly [PlatformName, PlatformName];
}

type OwnColumn =
  | 'id'
  | 'role'
  | 'digest'
  | 'asOf'
  | 'signedBy'
  | 'signedByKey'
  | 'note'
  | 'signedAt'
  | 'isOutdated';

/** A name under the figures of a statement. Times are in UTC, with microseconds. */
export interface StoredSignoff extends SignedScope, Readonly<Pick<StatementSignoffRow, OwnColumn>> {
  readonly withdrawn: Withdrawal | null;
}

/** How a sign-off ended. */
export interface Withdrawal {
  readonly at: string;
  readonly reason: string;
  readonly by: string;
}
