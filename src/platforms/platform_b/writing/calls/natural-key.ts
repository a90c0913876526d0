import { ownMember, type JsonObject, type StoredEntityType } from '@app/mapper';
import type { WriteCommand } from '../../../connector';
import { isGuid, literal, setUrl, withOptions } from '../../addresses';
import type { PlatformBSettings } from '../../credentials';
import { NO_GUID, sameValue } from '../../pages/field-kinds';
import { pages } from '../../pages/pages';
import { kindAt, wantedOf } from '../../pages/compare-fields';

/** The list of the records that have the key of a record to be created. */
export interface KeySearch {
  readonly url: string;
  /** Whether a record of the list has the whole key. The platform may ignore a filter. */
  readonly fits: (record: JsonObject) => boolean;
}

/**
 * The list in which a record will be found after its creation, by the key by which people know it: a number, or the
 * external document number with the customer.
 *
 * @param journal the journal of a payment
 */
export function keySearch(
  settings: PlatformBSettings,
  command: Creation,
  journal: string | undefined,
): KeySearch {
  return searchBy(settings, command, keyFields(command), journal);
}

function searchBy(
  settings: PlatformBSettings,
  command: Creation,
  {
    filtered,
    compared = [],
  }: { readonly filtered: readonly string[]; readonly compared?: readonly string[] },
  journal?: string,
): KeySearch {
  const { entityType } = command;
  const conditions = [
    ...(journal === undefined ? [] : [`journalId eq ${journal}`]),
    ...filtered.map((name) => `${name} eq ${filterValue(command, name)}`),
  ];
  const fields = [...new Set([...filtered, ...compared])];
  const select = ['id', ...(entityType === 'payment' ? ['lineNumber'] : []), ...fields].join();
  return {
    url: withOptions(setUrl(settings, entityType), { select, filter: conditions.join(' and ') }),
    fits: (record) => fields.every((name) => hasSame(command, name, record)),
  };
}

/**
 * The lists in which a new record will be found if another user edits its key before the service looks: by each other field that
 * people know it by, and a document by its customer and date.
 */
export function editedSearches(settings: PlatformBSettings, command: Creation): readonly KeySearch[] {
  const { filtered, compared } = keyFields(command);
  const key = [...filtered, ...compared].join();
  return otherKeys[command.entityType]
    .filter((fields) => fields.join() !== key && fields.every((name) => isSet(command, name)))
    .map((fields) => searchBy(settings, command, { filtered: fields }));
}

const otherKeys: Readonly<Record<StoredEntityType, readonly (readonly string[])[]>> = {
  project: [['number'], ['displayName']],
  customer: [['number'], ['taxRegistrationNumber'], ['displayName']],
  contract: [['customerId', 'orderDate']],
  invoice: [['customerId', 'invoiceDate']],
  // A payment is found by its line, see `lineSearch`.
  payment: [],
};

/**
 * The line of a journal on which a payment was created. It fits if it has one of the values of the key that the command
 * sets: another user may have edited the others. A line without any of them is another payment that took the number.
 */
export function lineSearch(
  settings: PlatformBSettings,
  command: Creation,
  { journal, line }: { readonly journal: string; readonly line: number },
): KeySearch {
  const { filtered, compared } = keyFields(command);
  const fields = [...filtered, ...compared];
  const set = fields.filter((name) => isSet(command, name));
  return {
    url: withOptions(setUrl(settings, 'payment'), {
      select: ['id', 'lineNumber', ...fields].join(),
      filter: `journalId eq ${journal} and lineNumber eq ${line}`,
    }),
    // A single value may be the one that was edited.
    fits: (record) => set.length < 2 || set.some((name) => hasSame(command, name, record)),
  };
}

type Creation = Pick<WriteCommand, 'entityType' | 'changes'>;

/** The fields of the key: those that the platform filters by, and those that are only compared here. */
function keyFields(command: Creation): {
  readonly filtered: readonly string[];
  readonly compared: readonly string[];
} {
  const has = (name: string): boolean => isSet(command, name);
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

function isSet(command: Creation, name: string): boolean {
  return ![undefined, null, ''].some((none) => wantedOf(command, name) === none);
}

function hasSame(command: Creation, name: string, record: JsonObject): boolean {
  const kind = kindAt(command.entityType, [name]);
  return sameValue(kind, ownMember(record, name), wantedOf(command, name));
}

// Codes are kept in upper case, and compared as they are kept.
function filterValue(command: Creation, name: string): string {
  const value = wantedOf(command, name);
  const text = typeof value === 'string' ? value : '';
  const kind = pages[command.entityType].fields.get(name)?.kind;
  if (kind === 'guid') return isGuid(text) ? text.toLowerCase() : NO_GUID;
  if (kind === 'date') return text;
  return literal(kind === 'code' ? text.trim().toUpperCase() : text);
}
