import type { AccessForm } from '../live/live-access';
import { oneSpelling } from '../live/pacing/limiter-key';
import { platformASettings, type PlatformASettings } from './credentials';
import { tokenRequestOf } from './wire/token-request';

/** How the credentials of the project platform are used. */
export const platformAAccess: AccessForm<PlatformASettings> = {
  settings: platformASettings,
  addresses: ({ api_url }) => [api_url],
  // The platform counts all calls of the app in one company together, and those in another company for that company.
  countedBy: ({ api_url, company_id, client_id }) => [oneSpelling(api_url), company_id, client_id],
  tokenRequest: tokenRequestOf,
};
