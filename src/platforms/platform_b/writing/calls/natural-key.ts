import { ownMember, type JsonObject } from '@app/mapper';
import type { WriteCommand } from '../../../connector';
import { isGuid, literal, setUrl, withOptions } from '../../addresses';
import type { PlatformBSettings } from '../../credentials';
import { NO_GUID, sameValue } from '../../pages/field-kinds';
import { pages } from '../../pages/pages';
import { kindAt, wantedOf } from '../../pages/compare-fields';

/** A short list that a record to be created will be in, and nearly no other. */
export interface KeySearch {
  readonly url: string;
  /** Whether a record of the list has the whole key: filters are not believed blindly. */
  readonly fits: (record: JsonObject) => boolean;
}

/**
 * Where a record to be created will be found, by what makes it that one to people: a number, or the external document
 * number with its customer.
 *
 * @param journal of a payment
 */
export function keySearch(
  settings: PlatformBSettings,
  command: Pick<WriteCommand, 'entityType' | 'changes'>,
  journal: string | undefined,
): KeySearch {
  const { entityType } = command;
  const { filtered, compared } = keyFields(command);
  const outcomes = [
    ...(journal === undefined ? [] : [`journalId eq ${journal}`]),
    ...filtered.map((name) => `${name} eq ${filterValue(command, name)}`),
  ];
  const fields = [...new Set([...filtered, ...compared])];
  const select = ['id', ...(entityType === 'payment' ? ['lineNumber'] : []), ...fields].join();
  return {
    url: withOptions(setUrl(settings, entityType), { select, filter: outcomes.join(' and ') }),
    fits: (record) =>
      fields.every((name) =>
        sameValue(kindAt(entityType, [name]), ownMember(record, name), wantedOf(command, name)),
      ),
  };
}

type Creation = Pick<WriteCommand, 'entityType' | 'changes'>;

/** Fields of the key: those that the platform filters by, and those that are compared besides. */
function keyFields(command: Creation): {
  readonly filtered: readonly string[];
  readonly compared: readonly string[];
} {
  const has = (name: string): boolean =>
    ![undefined, null, ''].some((none) => wantedOf(command, name) === none);
  switch (command.entityType) {
    case 'project':
      return { filtered: [has('number') ? 'number' : 'displayName'], compared: [] };
    case 'customer':
      if (has('number')) return { filtered: ['number'], compared: [] };
      return has('taxRegistrationNumber')
        ? { filtered: ['taxRegistrationNumber'], compared: ['displayName'] }
        : { filtered: ['displayName'], compared: [] };
    case 'contract':
    case 'invoice':
      return { filtered: ['externalDocumentNumber', 'customerId'], compared: [] };
    case 'payment':
      return { filtered: ['externalDocumentNumber'], compared: ['amount', 'appliesToInvoiceId'] };
  }
}

// Codes are kept in upper case, and compared as they are kept.
function filterValue(command: Creation, name: string): string {
  const value = wantedOf(command, name);
  const text = typeof value === 'string' ? value : '';
  const kind = pages[command.entityType].fields.get(name)?.kind;
  if (kind === 'guid') return isGuid(text) ? text.toLowerCase() : NO_GUID;
  return literal(kind === 'code' ? text.trim().toUpperCase() : text);
}
