import type { Session } from '../wire/session';
import type { KnownVendors } from './vendor-directory';

/** How long what was read of vendors is used, in milliseconds. What is not found in it is read again all the same. */
const LIFE_MS = 10 * 60_000;

/** Companies whose vendors are remembered. */
const MOST = 50;

/** The vendors of companies, as this process has read them: the scopes of one run use them one after another. */
export class KnownCompanies {
  private readonly companies = new Map<string, { readonly vendors: KnownVendors; readonly until: number }>();

  vendorsOf({ connection, settings }: Session): KnownVendors {
    const key = [connection.customerId, settings.api_url, settings.company_id].join(' ');
    const now = performance.now();
    const known = this.companies.get(key);
    if (known !== undefined && known.until > now) return known.vendors;
    const vendors: KnownVendors = { projects: new Map() };
    this.companies.delete(key);
    this.companies.set(key, { vendors, until: now + LIFE_MS });
    for (const oldest of this.companies.keys()) {
      if (this.companies.size <= MOST) break;
      this.companies.delete(oldest);
    }
    return vendors;
  }
}
