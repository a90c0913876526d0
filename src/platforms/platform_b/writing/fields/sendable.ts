import type { JsonObject, NativeChange } from '@app/mapper';
import type { WriteCommand } from '../../../connector';
import { pages } from '../../pages/pages';
import { hasWantedValue } from '../../pages/compare-fields';
import { isOwnCurrency } from './changes-shown';

/**
 * A command without the changes that only the platform can write. A reference is planned in each field that shows it:
 * an invoice names its contract by the order from which it was posted, which cannot be written, and by the customer's
 * reference, which is sent. If no other change is left, the command stays as it is, and is refused.
 */
export function sendable<Command extends Pick<WriteCommand, 'entityType' | 'changes'>>(
  command: Command,
): Command {
  const { entityType, changes } = command;
  const sent = changes.filter(({ path: [name = ''] }) => !pages[entityType].isReadOnly(name));
  return sent.length === 0 || sent.length === changes.length ? command : { ...command, changes: sent };
}

/**
 * The changes that a write sends: those that the record does not show yet. To a new record, blank values are not sent.
 */
export function sentChanges(
  command: Pick<WriteCommand, 'entityType' | 'changes' | 'localCurrency' | 'inheritedCurrency'>,
  current: JsonObject | undefined,
): readonly NativeChange[] {
  const { entityType, changes, localCurrency } = command;
  if (current === undefined) return changes.filter(({ value }) => value !== null);
  const meant = hasNoCurrency(command, current)
    ? { ...current, currencyCode: command.inheritedCurrency ?? '' }
    : current;
  return changes.filter(
    (change) =>
      !hasWantedValue(entityType, change, meant) &&
      (localCurrency === undefined || !isOwnCurrency(change, meant, localCurrency)),
  );
}

/** Whether a change names the currency that a payment has already, on a page that shows no currency. */
export function isInherited(
  command: Pick<WriteCommand, 'entityType' | 'inheritedCurrency'>,
  change: NativeChange,
  current: JsonObject | undefined,
): boolean {
  const { entityType, inheritedCurrency = '' } = command;
  return (
    current !== undefined &&
    change.path[0] === 'currencyCode' &&
    hasNoCurrency(command, current) &&
    hasWantedValue(entityType, change, { currencyCode: inheritedCurrency })
  );
}

function hasNoCurrency(
  { entityType, inheritedCurrency }: Pick<WriteCommand, 'entityType' | 'inheritedCurrency'>,
  record: JsonObject,
): boolean {
  return (
    entityType === 'payment' && inheritedCurrency !== undefined && !Object.hasOwn(record, 'currencyCode')
  );
}
