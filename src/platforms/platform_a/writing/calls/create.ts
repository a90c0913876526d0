import type { NativeChange } from '@app/mapper';
import type { CallResult, CreationResult, Done } from '../../../live/writing/send-result';
import { headerCall, headerOf } from '../fields/bodies';
import { otherCurrency } from '../refusals/other-currency';
import { sendWrite } from './send';
import { isOpen } from './update-calls';
import { wantedOf } from '../fields/values';
import { vendorInProject } from './vendor-in-project';
import { isOfProject, parentsOf, type WriteContext } from '../write-context';

/**
 * The call that creates a record's header, or why there is none. The parts that need calls of their own are sent when
 * the record exists.
 *
 * @throws PlatformError when the vendor cannot be looked up
 */
export async function creationCall(
  work: WriteContext,
): Promise<(() => Promise<CreationResult>) | Exclude<CallResult, Done>> {
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
  return async () => {
    const sent = await sendWrite(session, call, times);
    switch (sent.status) {
      case 'gone':
        return { status: 'rejected', reason: `${platform} does not let it be created there (404)` };
      case 'duplicate':
        return { status: 'duplicate', otherwise: { status: 'rejected', reason: sent.reason } };
      default:
        return sent;
    }
  };
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
