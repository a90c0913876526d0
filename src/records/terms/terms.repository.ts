import { defaultTerms, type Terms } from '@app/mapper';
import type { CustomerTransaction } from '../../database/transaction/store';
import { termsFrom } from './terms-text';

/**
 * SQL for the terms in force for a customer, `$1`, as one JSON text; null if nothing was agreed. It stands in the
 * statement that reads the data, so that both show the same moment. {@link termsFrom} parses the text. `offset 0` lets it read
 * rates and terms once, although it names them twice.
 *
 * @param asOf SQL for an earlier time
 */
export function termsColumn(asOf?: string): string {
  const holds = (since: string, until: string): string =>
    asOf === undefined
      ? `${until} is null`
      : `${since} <= ${asOf} and (${until} is null or ${until} > ${asOf})`;
  return `(
    select case when coalesce(rates, terms) is not null then json_build_object('rates', rates, 'terms', terms)::text end
    from (
      select (
        select json_agg(json_build_array(from_currency, to_currency, rate) order by from_currency, to_currency)
        from exchange_rates where customer_id = $1 and ${holds('set_at', 'ended_at')}
      ) as rates, (
        select json_agg(json_build_array(kind, name, value) order by kind, name)
        from customer_terms where customer_id = $1 and ${holds('since', 'until')}
      ) as terms
      offset 0
    ) agreed
  )`;
}

const present = `select ${termsColumn()} as terms`;
const earlier = `select ${termsColumn('$2::timestamptz')} as terms`;

/**
 * Loads the terms of a customer; the default terms if there is no such customer.
 *
 * @param asOf a time as the database writes it, or RFC 3339; without it the terms in force now
 */
export async function loadTerms(tx: CustomerTransaction, asOf?: string): Promise<Terms> {
  const [row] = await (asOf === undefined
    ? tx.query<{ terms: string | null }>(present)
    : tx.query<{ terms: string | null }>(earlier, [asOf]));
  return row === undefined ? defaultTerms : termsFrom(row.terms);
}
