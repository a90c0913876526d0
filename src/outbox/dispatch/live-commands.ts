import type { ConnectionName } from '../../platforms/connector';
import type { CustomerTransaction } from '../../database/transaction/store';
import { mayHaveBeenSent } from '../command/outbox-command';
import { firstOpenLive } from '../command/stored/stored-commands.repository';
import { recordCancelled } from '../outcome/record-outcome';
import type { Recorders } from '../outcome/recorder';

/**
 * Decides all open commands for a live platform. The caller's transaction holds the customer's lock exclusively. A
 * command that was never sent is `skipped`. A command that may have been sent is `held`, because it is never settled
 * again.
 *
 * @param why what happened to the connection, for people
 * @returns the number of commands
 */
export async function cancelOpenLive(
  tx: CustomerTransaction,
  recorders: Recorders,
  { platform }: ConnectionName,
  why: string,
): Promise<number> {
  let cancelled = 0;
  // One at a time: one decision can decide other commands of the same change.
  for (;;) {
    const command = await firstOpenLive(tx, platform);
    if (command === undefined) return cancelled;
    const outcome = mayHaveBeenSent(command)
      ? ({ status: 'held', reason: `${why} before it said whether it took the change` } as const)
      : ({ status: 'skipped', reason: why } as const);
    await recordCancelled(recorders.of(tx, command.id), command, outcome);
    cancelled += 1;
  }
}
