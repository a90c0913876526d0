import { ServiceUnavailableException } from '@nestjs/common';
import type { HealthCheckResult, HealthCheckService, HealthIndicatorFunction } from '@nestjs/terminus';

/** The result of one health check. */
export type CheckResult = 'ok' | 'fail';

/**
 * Runs health checks. Terminus throws if one fails; here a failure is a result, because the service's responses have a
 * form of their own.
 *
 * @returns the result of each indicator, by its key
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
