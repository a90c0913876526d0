import type { PlatformName } from '@app/mapper';

/** Why a platform could not be read. */
export type PlatformProblem =
  /** It does not accept the credentials, or does not permit what was asked. */
  | 'refused'
  /** No connection, no answer in time, or an answer that it cannot serve now. */
  | 'unreachable'
  /** It answered what is not in its protocol. */
  | 'nonsense';

const phrases: Readonly<Record<PlatformProblem, string>> = {
  refused: 'does not accept the credentials, or does not permit this',
  unreachable: 'cannot be reached',
  nonsense: 'gives an answer that cannot be read',
};

/**
 * A platform did not do its part. Thrown by connectors. The message names the platform and its status and is for any
 * reader; what the platform said, which may hold secrets, travels as `cause`.
 */
export class PlatformFailure extends Error {
  override readonly name = 'PlatformFailure';

  /** @param status of HTTP; undefined when there was no answer */
  constructor(
    readonly platform: PlatformName,
    readonly problem: PlatformProblem,
    readonly status?: number,
    options?: ErrorOptions,
  ) {
    super(`${platform} ${phrases[problem]}${status === undefined ? '' : ` (status ${status})`}`, options);
  }
}
