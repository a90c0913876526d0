import { platformNames } from '@app/mapper';
import type { ConnectionName } from '../../platforms/connector';
import { CannotOpenSeal } from '../../platforms/credentials/master-keys';
import { TOLERATED_SKEW_MS } from '../../runtime/background/clock-watch';
import type { Operator } from '../operator';
import { finding, type Finding } from './finding';

/** Maximum number of live connections that are tested: a platform may take a minute to answer. */
const MOST_TRIED = 100;

/** Maximum number of concurrent tests of connections. */
const AT_ONCE = 8;

/**
 * Checks the clock, whether all stored credentials can be decrypted, and whether each live connection's platform
 * responds.
 */
export async function serviceFindings(operator: Operator): Promise<readonly Finding[]> {
  return [
    clockFinding(operator.clock.aheadMs),
    await keysFinding(operator),
    ...(await platformFindings(operator)),
  ];
}

/**
 * @param aheadMs milliseconds by which the clock of this machine is ahead of the database's; negative if it is behind
 */
export function clockFinding(aheadMs: number): Finding {
  const seconds = Math.abs(aheadMs / 1_000).toFixed(1);
  if (Math.abs(aheadMs) <= TOLERATED_SKEW_MS) {
    return finding(
      'clock',
      'ok',
      `The clock of this machine agrees with that of the database to ${seconds} s`,
    );
  }
  const side = aheadMs > 0 ? 'ahead of' : 'behind';
  return finding(
    'clock',
    'wrong',
    `The clock of this machine is ${seconds} s ${side} that of the database. Synchronise both with NTP`,
  );
}

async function keysFinding({ credentials }: Operator): Promise<Finding> {
  try {
    await credentials.refuseMissingKeys();
    return finding('keys', 'ok', 'CREDENTIALS_KEYS has every key that seals stored credentials');
  } catch (error) {
    if (!(error instanceof CannotOpenSeal)) throw error;
    return finding('keys', 'wrong', error.message);
  }
}

async function platformFindings(operator: Operator): Promise<readonly Finding[]> {
  const names: ConnectionName[] = [];
  for (const { id: customerId } of await operator.customers.list(['standard'])) {
    for (const platform of platformNames) {
      const credentials = await operator.credentials.show(customerId, platform);
      if (credentials !== undefined) names.push({ customerId, platform });
    }
    if (names.length > MOST_TRIED) break;
  }
  const tried = names.slice(0, MOST_TRIED);
  const findings: Finding[] = [];
  for (let start = 0; start < tried.length; start += AT_ONCE) {
    const some = tried.slice(start, start + AT_ONCE).map(async (name): Promise<Finding> => {
      const { ok, message } = await operator.checks.test(name);
      return {
        check: 'platform',
        state: ok ? 'ok' : 'wrong',
        detail: `${name.platform}: ${message}`,
        customer_id: name.customerId,
      };
    });
    findings.push(...(await Promise.all(some)));
  }
  if (names.length > MOST_TRIED) {
    const words = `${MOST_TRIED} live connections were tried; \`connections test\` tries another one`;
    findings.push(finding('platform', 'not tried', words));
  }
  return findings;
}
