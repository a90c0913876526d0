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
 * Creates a record: first its header, then the parts that need calls of their own. After the first call, settling
 * finds the record by its traces, so no call is sent twice.
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

/** The changes of the creating call: all except a status in which the platform would refuse the amount. */
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

/** Sends the missing changes of a record that the command has created. */
export function finish(work: WriteContext, id: string, current: JsonObject): Promise<WriteResult> {
  return updateRecord(work, { id, parents: parentsOf(work.command, current), current }, undefined);
}

// The record exists by now. Settling takes up what was deferred.
function outcomeOf(made: WriteResult | undefined): WriteOutcome {
  return made === undefined || made.status === 'deferred' ? { status: 'uncertain' } : made;
}
