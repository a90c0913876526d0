import { isJsonObject, type JsonObject } from '@app/mapper';
import type { ConnectionName } from '../platforms/connector';
import { companyIn } from '../platforms/credentials/company';
import type { ConnectionRow } from '../database/entities/connection.entity';
import { ApiError } from '../common/errors/api-error';

/** Two companies whose records would be mixed on one platform. */
export interface OtherCompany {
  /** The company of the stored records. */
  readonly before: string;
  /** The company of the new settings. */
  readonly after: string;
}

/**
 * Whether the stored records belong to another company than the new settings.
 *
 * @param read the connection through which the stored records were read; null without records
 */
export function otherCompany(read: ConnectionRow | null, settings: JsonObject): OtherCompany | undefined {
  if (read === null) return undefined;
  const unknown = 'a company that is not known any more';
  const before = (isJsonObject(read.readWith) ? companyIn(read.readWith) : null) ?? unknown;
  const after = companyIn(settings) ?? unknown;
  return before === after ? undefined : { before, after };
}

/** The refusal of a command that chooses neither option. */
export function refuseOtherCompany({ platform }: ConnectionName, { before, after }: OtherCompany): ApiError {
  return new ApiError(
    'CONFLICT_ERROR',
    `The records of ${platform} that are stored came from ${before}, and these credentials lead to ${after}; ` +
      'give --replace to remove those records first, or --same-company if it is one company under two addresses',
  );
}
