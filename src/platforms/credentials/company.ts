import { isJsonObject, type JsonObject } from '@app/mapper';
import type { ConnectionMode } from '../connector';
import { withoutFinalSlashes } from '../../runtime/config/web-address';

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
  const path = withoutFinalSlashes(pathname).toLowerCase();
  return `company ${GUID.test(id) ? id.toLowerCase() : id} at ${origin}${path}`;
}

/** The source of the records of every sandbox. No company has this text. */
export const SANDBOX_SOURCE = 'sandbox';

/**
 * The source of the records of a connection: the sandbox, or a company on the platform. Records of different sources may
 * have the same native ID by chance. Pure.
 *
 * @param settings the settings that the records were read with
 * @returns null if no company is known
 */
export function sourceOf(mode: ConnectionMode, settings: unknown): string | null {
  if (mode === 'sandbox') return SANDBOX_SOURCE;
  return isJsonObject(settings) ? companyIn(settings) : null;
}
