import { randomUUID } from 'node:crypto';
import { databaseTime } from '../../database/transaction/database-time';
import { noteEvents } from '../../records/events/events.repository';
import { noteObjectEvents } from '../../records/events/object-events.repository';
import { propagationEvent } from '../history/propagation-events';
import type { Recorder } from './recorder';

/**
 * Stores the events of a recorded outcome, as the last work of the transaction: that the object changed, that a write
 * waits for a person, and that all platforms have decided.
 *
 * @param isDecided whether all platforms have decided on the change with this outcome
 */
export async function noteOutcome(
  recorder: Recorder,
  propagationId: string,
  isDecided: boolean,
): Promise<void> {
  const { tx, history, closed } = recorder;
  const cause = await recorder.begun();
  if (cause !== undefined) noteObjectEvents(tx, cause);
  const isHeld = closed.has('held');
  if (!isHeld && !isDecided) return;
  const change = await history.find(tx, propagationId);
  if (change === undefined) return;
  const isSettled = isDecided && (change.state === 'settled' || change.state === 'rejected');
  noteEvents(tx, cause ?? { id: randomUUID(), at: await databaseTime(tx.store) }, [
    ...(isHeld ? [propagationEvent('propagation.held', change)] : []),
    ...(isSettled ? [propagationEvent('propagation.settled', change)] : []),
  ]);
}
