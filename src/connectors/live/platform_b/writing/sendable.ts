import type { JsonObject, NativeChange } from '@app/mapper';
import type { WriteCommand } from '../../../connector';
import { documentPage, pages } from '../pages/pages';
import { isAsWanted } from '../pages/wanted';
import { isOwnCurrency } from './standing';

/**
 * A command without what only the platform writes. A reference is planned in each field that shows it: an invoice names its
 * contract by the order that it was posted from, which nobody may write, and by the customer's reference, which is sent.
 * Where nothing else is wanted, the command stays as it is, and is refused.
 */
export function sendable<Command extends Pick<WriteCommand, 'entityType' | 'changes'>>(
  command: Command,
): Command {
  const { entityType, changes } = command;
  const { fields } = pages[entityType];
  const total = documentPage(entityType)?.total;
  const sent = changes.filter(
    ({ path: [name = ''] }) => name === total || fields.get(name)?.readOnly !== true,
  );
  return sent.length === 0 || sent.length === changes.length ? command : { ...command, changes: sent };
}

/**
 * The changes that a write sends: not those that the record shows already. A new record is told nothing of what is to be
 * blank.
 */
export function sentChanges(
  { entityType, changes, localCurrency }: Pick<WriteCommand, 'entityType' | 'changes' | 'localCurrency'>,
  current: JsonObject | undefined,
): readonly NativeChange[] {
  if (current === undefined) return changes.filter(({ value }) => value !== null);
  return changes.filter(
    (change) =>
      !isAsWanted(entityType, change, current) &&
      (localCurrency === undefined || !isOwnCurrency(change, current, localCurrency)),
  );
}
