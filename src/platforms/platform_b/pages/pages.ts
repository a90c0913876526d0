import {
  isJsonArray,
  isJsonObject,
  mappingOf,
  ownMember,
  type JsonObject,
  type StoredEntityType,
} from '@app/mapper';
import type { DocumentPage, Page } from './page';

const pageOf = (entityType: StoredEntityType): Page => mappingOf('platform_b', entityType).resource;

/** The page of each type, as the platform's resources are described. */
export const pages: Readonly<Record<StoredEntityType, Page>> = {
  project: pageOf('project'),
  customer: pageOf('customer'),
  contract: pageOf('contract'),
  invoice: pageOf('invoice'),
  payment: pageOf('payment'),
};

/** The page of a type with lines; undefined for other types. */
export function documentPage(entityType: StoredEntityType): DocumentPage | undefined {
  const page = pages[entityType];
  return hasLines(page) ? page : undefined;
}

/** The lines of a record; empty for a type without lines. */
export function linesIn(entityType: StoredEntityType, record: JsonObject): readonly JsonObject[] {
  const page = documentPage(entityType);
  const lines = page && ownMember(record, page.lines);
  return isJsonArray(lines) ? lines.filter(isJsonObject) : [];
}

function hasLines(page: Page): page is DocumentPage {
  return page.lines !== undefined && page.total !== undefined && page.documentWord !== undefined;
}
