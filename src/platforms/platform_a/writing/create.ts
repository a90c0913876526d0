import { ownMember, type JsonObject, type NativeChange } from '@app/mapper';
import type { WriteOutcome } from '../../connector';
import { idText } from '../wire/ids';
import { headerCall, headerOf } from './bodies';
import type { WriteResult } from './write-result';
import { updateRecord } from './update-record';
import { otherCurrency } from './other-currency';
import { orUndefinedDuringOutage } from './outage';
import { sendWrite } from './send';
import { isOpen } from './steps';
import { wantedOf } from './values';
import { vendorInProject } from './vendor-in-project';
import { isOfProject, readCurrent, parentsOf, type WriteContext } from './write-context';

/**
 * Creates a record: its header, and then what takes calls of its own. Whatever comes after the first call is found again
 * by its traces, so it is never sent twice.
 *
 * @throws PlatformError when the vendor cannot be looked up; nothing was created then
 */
export async function create(work: WriteContext): Promise<WriteOutcome> {
  const { session, command, times } = work;
  const { entityType, variant, changes, platform } = command;
  const parents = parentsOf(command, undefined);
  if (
    isOfProject(command) &&
    (parents === undefined || (entityType !== 'contract' && parents.contract === undefined))
  ) {
    return { status: 'rejected', reason: `${platform} needs to know what it belongs to` };
  }
  const currency = await otherCurrency(work);
  if (currency !== undefined) return { status: 'rejected', reason: currency };
  const vendor = await vendorInProject(work, parents?.project, changes);
  if (vendor.status !== 'found') return vendor;
  const header = headerOf(entityType, firstOf(work), true, vendor.id);
  const call = headerCall(session, { entityType, variant, parents }, header);
  work.progress.noteCall();
  const sent = await sendWrite(session, call, times);
  if (sent.status === 'rejected' && sent.isGone) {
    return { status: 'rejected', reason: `${platform} does not let it be created there (404)` };
  }
  if (sent.status !== 'done') return sent;
  const id = sent.body && idText(ownMember(sent.body, 'id'));
  if (id === undefined) return { status: 'uncertain' };
  work.progress.noteCreated(id);
  return finishAfterCreation(work, id);
}

/** What the first call says: all but a status in which the amount could not be set any more. */
export function firstOf({ command }: Pick<WriteContext, 'command'>): readonly NativeChange[] {
  const { entityType, changes } = command;
  const isStatus = ({ path }: NativeChange): boolean => path.join('.') === 'status';
  const amount = entityType === 'contract' ? 'grand_total' : 'summary.current_payment_due';
  const hasAmount = wantedOf(command, amount) !== undefined;
  const status = wantedOf(command, 'status');
  const closes = hasAmount && status !== undefined && !isOpen(entityType, { status });
  return closes ? changes.filter((change) => !isStatus(change)) : changes;
}

async function finishAfterCreation(work: WriteContext, id: string): Promise<WriteOutcome> {
  const { times, pause } = work;
  for (const wait of [0, ...times.readBack]) {
    if (wait > 0) await pause(wait);
    const parents = parentsOf(work.command, undefined);
    const found = await orUndefinedDuringOutage(readCurrent(work, id, parents));
    if (found === undefined) continue;
    return outcomeOf(await orUndefinedDuringOutage(finish(work, id, found.payload)));
  }
  return { status: 'uncertain' };
}

/** Says and does what is missing of a record that the command has created. */
export function finish(work: WriteContext, id: string, current: JsonObject): Promise<WriteResult> {
  return updateRecord(work, { id, parents: parentsOf(work.command, current), current }, undefined);
}

// The record is there by now. What was put off is taken up by whoever settles it.
function outcomeOf(made: WriteResult | undefined): WriteOutcome {
  return made === undefined || made.status === 'deferred' ? { status: 'uncertain' } : made;
}
