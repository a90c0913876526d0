import type { AccessForm } from '../live/live-access';
import { oneSpelling } from '../live/pacing/limiter-key';
import { platformBSettings, type PlatformBSettings } from './credentials';
import { tokenRequest } from './token-request';

/** How the credentials of the ERP are used. The page of payments may stand on another host than the API. */
export const platformBAccess: AccessForm<PlatformBSettings> = {
  settings: platformBSettings,
  addresses: ({ api_url, payments_url }) =>
    payments_url === undefined ? [api_url] : [api_url, payments_url],
  // The limits apply to all calls of the application in one environment, which the address names, in whatever company.
  // Both values are case-insensitive.
  countedBy: ({ api_url, client_id }) => [oneSpelling(api_url), client_id].map((part) => part.toLowerCase()),
  tokenRequest: (clients, connection) => tokenRequest(clients.bare(connection)),
};
