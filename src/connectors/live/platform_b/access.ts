import type { AccessForm } from '../live-access';
import { platformBSettings, type PlatformBSettings } from './credentials';
import { tokenRequest } from './token-request';

/** How the credentials of the ERP are used. The page of payments may stand on another host than the API. */
export const platformBAccess: AccessForm<PlatformBSettings> = {
  settings: platformBSettings,
  addresses: ({ api_url, payments_url }) =>
    payments_url === undefined ? [api_url] : [api_url, payments_url],
  tokenRequest: (clients, connection) => tokenRequest(clients.bare(connection)),
};
