import { ownMember, decimalOf, sameDecimal, ZERO, type JsonObject, type NativeChange } from '@app/mapper';
import type { WriteCommand } from '../../../connector';
import { documentPage, linesIn } from '../../pages/pages';
import type { Session } from '../../session';
import { ONE } from './decimals';
import { newLine } from './only-line';
import { isOffPage } from './payment-page';
import { sentChanges } from './sendable';
import { changesNotShown } from './changes-shown';

/**
 * Returns the fields that the creating call set and that a record shows with another value. Such a record belongs to
 * another creation, or another user has changed it since. A total was sent as a line, so the line is compared: tax is
 * added to it.
 */
export async function changesShownOtherwise(
  session: Session,
  command: WriteCommand,
  record: JsonObject,
  signal: AbortSignal,
): Promise<readonly NativeChange[]> {
  const { entityType } = command;
  const sent = sentChanges(command, undefined).filter(
    (change) => !isOffPage(session.settings, entityType, change),
  );
  const total = documentPage(entityType)?.total;
  const isTotal = ({ path }: NativeChange): boolean => path.length === 1 && path[0] === total;
  const fields = sent.filter((change) => !isTotal(change));
  return [
    ...(await changesNotShown(session, entityType, fields, record, signal)),
    ...sent.filter((change) => isTotal(change) && !hasLineOf(command, change, record)),
  ];
}

/** Whether the only line of a document is the one that was sent for a total. */
function hasLineOf({ entityType, changes }: WriteCommand, total: NativeChange, record: JsonObject): boolean {
  const page = documentPage(entityType);
  const [line, ...others] = linesIn(entityType, record);
  if (page === undefined || line === undefined || others.length > 0) return false;
  const discount = changes.find(({ path }) => path.length === 1 && path[0] === 'discountAmount');
  const sent = newLine(page, { discountAmount: discount?.value ?? 0 }, decimalOf(total.value) ?? ZERO);
  const price = decimalOf(ownMember(sent, 'unitPrice')) ?? ZERO;
  const [shownQuantity, shownPrice] = ['quantity', 'unitPrice'].map((name) =>
    decimalOf(ownMember(line, name)),
  );
  return sameDecimal(shownQuantity ?? ZERO, ONE) && sameDecimal(shownPrice ?? ZERO, price);
}
