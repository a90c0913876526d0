import type { LiveCredentials } from '../credentials/credentials.service';
import {
  IfGiven,
  IsCurrencyCode,
  IsLine,
  IsNativeId,
  IsNativeIds,
  IsPlatformAddress,
} from '../live/credential-fields';
import { storedSettings, type CredentialShape } from '../live/credential-shape';

/** The settings of a connection that are not secret. */
export class PlatformASettings {
  /** Where tokens come from. Login and API are two hosts, and a sandbox of the vendor has both of its own. */
  @IsPlatformAddress()
  readonly login_url: string;

  @IsPlatformAddress()
  readonly api_url: string;

  @IsNativeId()
  readonly company_id: string;

  @IsLine(500)
  readonly client_id: string;

  /** The currency of amounts whose record, contract and project name none. */
  @IfGiven()
  @IsCurrencyCode()
  readonly currency?: string;

  /** Only these projects are read; all that the account sees, without it. */
  @IfGiven()
  @IsNativeIds(10_000)
  readonly projects?: readonly string[];
}

class PlatformASecrets {
  @IsLine(4_000)
  readonly client_secret: string;
}

/** The credentials of a service account. */
export const platformACredentials: CredentialShape = {
  settings: PlatformASettings,
  secrets: PlatformASecrets,
};

/** The settings of a stored connection. */
export function platformASettings({ settings }: Pick<LiveCredentials, 'settings'>): PlatformASettings {
  return storedSettings(PlatformASettings, settings);
}
