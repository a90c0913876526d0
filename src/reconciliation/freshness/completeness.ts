import type { PlatformName } from '@app/mapper';
import type { KnownRun } from '../../sync/run/run-history.repository';

/** Why a statement is incomplete. */
export const incompleteReasons = [
  'not_connected',
  'run_under_way',
  'run_failed',
  'not_read_whole',
  'deletions_held',
  'comparing',
] as const;

/** One reason, as a code and in words. */
export interface IncompleteReason {
  readonly reason: (typeof incompleteReasons)[number];
  readonly platform: PlatformName | null;
  readonly detail: string;
}

/**
 * Why the stored records of some platforms are incomplete. Pure.
 *
 * @param connected platforms that have been read
 * @param runs the last run of each platform and its last finished run, newest first
 */
export function gapsOf(
  platforms: readonly PlatformName[],
  connected: ReadonlySet<PlatformName>,
  runs: readonly Pick<KnownRun, 'platform' | 'status' | 'report' | 'error'>[],
): readonly IncompleteReason[] {
  return platforms.flatMap((platform) => {
    const own = runs.filter((run) => run.platform === platform);
    const ended = own.find(({ status }) => status !== 'running');
    const reasons: (Omit<IncompleteReason, 'platform'> | false)[] = [
      !connected.has(platform) && { reason: 'not_connected', detail: `${platform} is not connected` },
      own[0]?.status === 'running' && { reason: 'run_under_way', detail: `${platform} is being read` },
      ended?.status === 'failed' && {
        reason: 'run_failed',
        detail: `the last reading of ${platform} failed: ${ended.error?.message ?? 'no reason is known'}`,
      },
      ended?.status === 'done' &&
        !ended.report.complete && {
          reason: 'not_read_whole',
          detail: `${platform} could not be read whole: ${ended.report.gaps.join('; ') || 'no reason is known'}`,
        },
      ended !== undefined &&
        ended.report.deletionsHeld > 0 && {
          reason: 'deletions_held',
          detail: `${ended.report.deletionsHeld} records of ${platform} seem to be deleted; a person must accept this`,
        },
    ];
    return reasons.flatMap((one) => (one === false ? [] : [{ ...one, platform }]));
  });
}
