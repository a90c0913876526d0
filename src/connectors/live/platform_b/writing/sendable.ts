import type { WriteCommand } from '../../../connector';
import { documentPage, pages } from '../pages/pages';

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
