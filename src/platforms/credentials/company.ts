import type { JsonObject } from '@app/mapper';

const GUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;

/**
 * The company to which settings lead, as text for people and for comparisons: settings with the same company and the
 * same address have the same text. Pure.
 *
 * @returns null for settings that name no company
 */
export function companyIn({ company_id: id, api_url: address }: JsonObject): string | null {
  if (typeof id !== 'string' || typeof address !== 'string' || !URL.canParse(address)) return null;
  const { origin, pathname } = new URL(address);
  // The address without its slash at the end; a tenant or an environment in it may be written in either case.
  const path = pathname.replace(/(?<!\/)\/+$/, '').toLowerCase();
  return `company ${GUID.test(id) ? id.toLowerCase() : id} at ${origin}${path}`;
}
