import { ServiceUnavailableException } from '@nestjs/common';
import type { HealthCheckResult, HealthCheckService, HealthIndicatorFunction } from '@nestjs/terminus';

/** Whether one thing holds that an instance needs. */
export type CheckResult = 'ok' | 'fail';

/**
 * Runs health checks. Terminus throws when one fails; here that is a result like others, since the answers of this
 * service have a form of their own.
 *
 * @returns what each indicator found, by its key
 */
export async function checkResultsOf(
  health: HealthCheckService,
  indicators: HealthIndicatorFunction[],
): Promise<(key: string) => CheckResult> {
  const { details } = await resultOf(health, indicators);
  return (key) => (details[key]?.status === 'up' ? 'ok' : 'fail');
}

async function resultOf(
  health: HealthCheckService,
  indicators: HealthIndicatorFunction[],
): Promise<HealthCheckResult> {
  try {
    return await health.check(indicators);
  } catch (error) {
    if (!(error instanceof ServiceUnavailableException)) throw error;
    return error.getResponse() as HealthCheckResult; // What terminus puts into it.
  }
}
