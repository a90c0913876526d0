import { refusedByRule } from '../odata-error';
import { textOf, type Row } from '../store/row';
import type { Body } from './body';
import type { Company } from './company';
import { isDraft, type DocumentKind } from './document-kinds';
import { isPosted, recomputed, statusMustBeOpen } from './documents';
import { addLine, changeLine } from './lines';

/** The read-only fields of a line of a released document. */
const lockedWhenReleased = new Set([
  'lineType',
  'lineObjectNumber',
  'itemId',
  'accountId',
  'quantity',
  'unitOfMeasureId',
  'unitOfMeasureCode',
  'discountAmount',
  'locationId',
  'shipmentDate',
  'itemVariantId',
]);

/** Adds a line, and renews the totals and the etag of its document. */
export function createLine(
  company: Company,
  kind: DocumentKind,
  documentId: string | undefined,
  body: Body,
): Row {
  const given = body.fields.get('documentId');
  const id = documentId ?? (typeof given === 'string' ? given : undefined);
  const document = id === undefined ? undefined : company.store.table(kind.table).get(id);
  if (document === undefined) {
    throw refusedByRule('You must specify a Document Id to insert a line.');
  }
  checkOpen(kind, document);
  const line = addLine(company, kind, document, body);
  recomputed(company, kind, document);
  return present(company, kind, line);
}

/** Changes a line, and renews the totals and the etag of its document. */
export function updateLine(company: Company, kind: DocumentKind, line: Row, body: Body): Row {
  const document = documentOf(company, kind, line);
  if (document.posted === true) throw isPosted();
  if (!isDraft(document) && [...body.fields.keys()].some((field) => lockedWhenReleased.has(field))) {
    throw statusMustBeOpen(kind, document);
  }
  const changed = changeLine(company, kind, document, line, body);
  recomputed(company, kind, document);
  return present(company, kind, changed);
}

/** Removes a line, and renews the totals and the etag of its document. */
export function removeLine(company: Company, kind: DocumentKind, line: Row): void {
  const document = documentOf(company, kind, line);
  checkOpen(kind, document);
  company.store.remove(kind.lines, line.id);
  recomputed(company, kind, document);
}

/** The document that a line is of. */
export function documentOf(company: Company, kind: DocumentKind, line: Row): Row {
  const document = company.store.table(kind.table).get(textOf(line, 'documentId'));
  if (document === undefined) throw new Error(`a line of ${kind.table} has no document`);
  return document;
}

function checkOpen(kind: DocumentKind, document: Row): void {
  if (document.posted === true) throw isPosted();
  if (!isDraft(document)) throw statusMustBeOpen(kind, document);
}

// Distributing the discount may have changed the line once more.
function present(company: Company, kind: DocumentKind, line: Row): Row {
  return company.store.table(kind.lines).get(line.id) ?? line;
}
