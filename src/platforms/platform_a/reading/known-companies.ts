import type { Session } from '../wire/session';
import type { KnownVendors } from './vendor-directory';
import { RecentMap } from '../../../runtime/caching/recent-map';

/**
 * How long vendors that were read are used, in milliseconds. A vendor that is not among them is read again regardless.
 */
const LIFE_MS = 10 * 60_000;

/** Maximum number of companies whose vendors are cached. */
const MOST = 50;

/** The vendors of companies, as this process has read them. The scopes of one run use them one after another. */
export class KnownCompanies {
  private readonly companies = new RecentMap<
    string,
    { readonly vendors: KnownVendors; readonly until: number }
  >(MOST);

  vendorsOf({ connection, settings }: Session): KnownVendors {
    const key = [connection.customerId, settings.api_url, settings.company_id].join(' ');
    const now = performance.now();
    const known = this.companies.get(key);
    if (known !== undefined && known.until > now) return known.vendors;
    const vendors: KnownVendors = { projects: new Map() };
    this.companies.set(key, { vendors, until: now + LIFE_MS });
    return vendors;
  }
}
