import type { LiveCredentials } from '../credentials/credentials.service';
import { IfGiven, IsCurrencyCode, IsLine, IsNativeId, IsPlatformAddress } from '../live/credential-fields';
import { storedSettings, type CredentialShape } from '../live/credential-shape';

/** The settings of a connection that are not secret. */
export class PlatformBSettings {
  @IsPlatformAddress()
  readonly token_url: string;

  /** With tenant and environment. */
  @IsPlatformAddress('/api/v2.0')
  readonly api_url: string;

  @IsNativeId()
  readonly company_id: string;

  @IsLine(500)
  readonly client_id: string;

  @IfGiven()
  @IsLine(500)
  readonly scope?: string;

  /** The currency of amounts whose record, contract and project name none. */
  @IfGiven()
  @IsCurrencyCode()
  readonly currency?: string;

  /** The whole address of the entity set of a custom page for payments, one that has a currency. */
  @IfGiven()
  @IsPlatformAddress()
  readonly payments_url?: string;

  /** The code of the batch that holds the payments. */
  @IfGiven()
  @IsLine(10)
  readonly journal?: string;
}

class PlatformBSecrets {
  @IsLine(4_000)
  readonly client_secret: string;
}

/** The credentials of an application that is registered with the vendor. */
export const platformBCredentials: CredentialShape = {
  settings: PlatformBSettings,
  secrets: PlatformBSecrets,
};

/** The settings of a stored connection. */
export function platformBSettings({ settings }: Pick<LiveCredentials, 'settings'>): PlatformBSettings {
  return storedSettings(PlatformBSettings, settings);
}
