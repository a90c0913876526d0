import { isJsonObject, stringifyJson, type JsonObject } from '@app/mapper';
import type { ConnectionName } from '../platforms/connector';
import { companyIn } from '../platforms/credentials/company';
import { ConnectionRow } from '../database/entities/connection.entity';
import type { CustomerTransaction } from '../database/transaction/customer-transaction';
import { ApiError } from '../common/errors/api-error';

/** Two companies that records of one platform would come from. */
export interface OtherCompany {
  /** Where the stored records came from. */
  readonly before: string;
  /** Where the new settings lead. */
  readonly after: string;
}

/** Whether records are stored that another company's platform gave than that which new settings lead to. */
export async function otherCompany(
  tx: CustomerTransaction,
  { platform }: ConnectionName,
  settings: JsonObject,
): Promise<OtherCompany | undefined> {
  const read = await tx.store.manager
    .getRepository(ConnectionRow)
    .findOneBy({ customerId: tx.customerId, platform: platform as string, mode: 'live' });
  if (read === null) return undefined;
  const unknown = 'a company that is not known any more';
  const before = (isJsonObject(read.readWith) ? companyIn(read.readWith) : null) ?? unknown;
  const after = companyIn(settings) ?? unknown;
  return before === after ? undefined : { before, after };
}

/** What is said to whoever does not say which of the two it is. */
export function refuseOtherCompany({ platform }: ConnectionName, { before, after }: OtherCompany): ApiError {
  return new ApiError(
    'CONFLICT_ERROR',
    `The records of ${platform} that are stored came from ${before}, and these credentials lead to ${after}; ` +
      'give --replace to remove those records first, or --same-company if it is one company under two addresses',
  );
}

/** From now on the stored records count as those of the company that new settings lead to. */
export async function keepAsSameCompany(
  tx: CustomerTransaction,
  { platform }: ConnectionName,
  settings: JsonObject,
): Promise<void> {
  await tx.query('update connections set read_with = $3 where customer_id = $1 and platform = $2', [
    platform,
    stringifyJson(settings),
  ]);
}
