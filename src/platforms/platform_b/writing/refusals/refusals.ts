import { ownMember, decimalOf, ZERO, type JsonObject, type JsonValue } from '@app/mapper';
import type { WriteCommand } from '../../../connector';
import { NO_GUID } from '../../pages/field-kinds';
import { documentPage, pages } from '../../pages/pages';
import { textIn, wantedOf } from '../../pages/compare-fields';
import { lockOn, statusMustBeOpen } from '../fields/locks';
import { lineFor } from '../fields/only-line';

/** What of a command decides whether it is refused. */
export type Refusable = Pick<WriteCommand, 'entityType' | 'changes' | 'referred'>;

/**
 * Why the platform will refuse a write, where that is known before it is asked; in its words. Pure.
 *
 * @param current undefined for a record to be created
 */
export function refusalOf(command: Refusable, current: JsonObject | undefined): string | undefined {
  return (
    readOnlyField(command) ??
    missingName(command, current) ??
    draftInvoice(command) ??
    (current === undefined ? undefined : lockedDocument(command, current))
  );
}

/** Whether the reason for a refusal is that the document is posted or released. */
export function isLocked(command: Refusable, current: JsonObject | undefined, reason: string): boolean {
  const page = documentPage(command.entityType);
  if (page === undefined || current === undefined) return false;
  const fields = command.changes.map(({ path: [name = ''] }) => name);
  return [lockOn(page, current, fields), statusMustBeOpen(page, current)].includes(reason);
}

function readOnlyField({ entityType, changes }: Refusable): string | undefined {
  const name = changes
    .map(({ path: [first = ''] }) => first)
    .find((first) => pages[entityType].isReadOnly(first));
  return name === undefined ? undefined : `Control '${name}' is read-only.`;
}

function missingName(command: Refusable, current: JsonObject | undefined): string | undefined {
  const { entityType } = command;
  const isNew = current === undefined;
  if (entityType === 'customer') {
    const name = wantedOf(command, 'displayName');
    if (isNew && isBlank(name)) return 'A "displayName" must be provided.';
    return !isNew && name !== undefined && isBlank(name)
      ? 'The blank "displayName" is not allowed.'
      : undefined;
  }
  if (!isNew || documentPage(entityType) === undefined) return undefined;
  return isBlank(wantedOf(command, 'customerId')) && isBlank(wantedOf(command, 'customerNumber'))
    ? 'A "customerNumber" or a "customerId" must be provided.'
    : undefined;
}

function draftInvoice(command: Refusable): string | undefined {
  const id = wantedOf(command, 'appliesToInvoiceId');
  const { invoice_id: invoice } = command.referred;
  if (command.entityType !== 'payment' || invoice === undefined || isBlank(id)) return undefined;
  if (ownMember(invoice, 'id') !== id) return undefined;
  return ['Draft', 'In_x0020_Review'].includes(textIn(invoice, 'status'))
    ? 'The "appliesToInvoiceId" should be the ID of an Open, Paid, Corrective, or Canceled Invoice.'
    : undefined;
}

function lockedDocument(command: Refusable, current: JsonObject): string | undefined {
  const page = documentPage(command.entityType);
  if (page === undefined) return undefined;
  const fields = command.changes.map(({ path: [name = ''] }) => name);
  const lock = lockOn(page, current, fields);
  if (lock !== undefined) return lock;
  const total = wantedOf(command, page.total);
  if (total === undefined) return undefined;
  const step = lineFor(page, current, decimalOf(total) ?? ZERO);
  return step.kind === 'refused' ? step.reason : undefined;
}

function isBlank(value: JsonValue | undefined): boolean {
  return value === undefined || value === null || value === NO_GUID || value === '';
}
