import type { AccessForm } from '../live-access';
import { platformASettings, type PlatformASettings } from './credentials';
import { tokenRequestOf } from './wire/token-request';

/** How the credentials of the project platform are used. */
export const platformAAccess: AccessForm<PlatformASettings> = {
  settings: platformASettings,
  addresses: ({ api_url }) => [api_url],
  tokenRequest: tokenRequestOf,
};
