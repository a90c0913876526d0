import { isJsonObject, type JsonObject } from '@app/mapper';
import type { ConnectionName } from '../platforms/connector';
import { companyIn } from '../platforms/credentials/company';
import type { ConnectionRow } from '../database/entities/connection.entity';
import { ApiError } from '../common/errors/api-error';

/** Two companies that records of one platform would come from. */
export interface OtherCompany {
  /** Where the stored records came from. */
  readonly before: string;
  /** Where the new settings lead. */
  readonly after: string;
}

/**
 * Whether records are stored that another company's platform gave than that which new settings lead to.
 *
 * @param read the connection through which the stored records were read; null when there are none
 */
export function otherCompany(read: ConnectionRow | null, settings: JsonObject): OtherCompany | undefined {
  if (read === null) return undefined;
  const unknown = 'a company that is not known any more';
  const before = (isJsonObject(read.readWith) ? companyIn(read.readWith) : null) ?? unknown;
  const after = companyIn(settings) ?? unknown;
  return before === after ? undefined : { before, after };
}

/** The refusal of a command that does not say which of the two it is. */
export function refuseOtherCompany({ platform }: ConnectionName, { before, after }: OtherCompany): ApiError {
  return new ApiError(
    'CONFLICT_ERROR',
    `The records of ${platform} that are stored came from ${before}, and these credentials lead to ${after}; ` +
      'give --replace to remove those records first, or --same-company if it is one company under two addresses',
  );
}
