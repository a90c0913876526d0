import type { StoredEntityType } from '@app/mapper';
import type { PlatformBSettings } from './credentials';
import { documentPage, pages } from './pages/pages';

const guidForm = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Whether a text is a key of the platform. Anything else is never put into an address. */
export function isGuid(text: string): boolean {
  return guidForm.test(text);
}

/** The address of the company, which all else is below, relative to the API's. */
export function companyPath({ company_id: company }: PlatformBSettings): string {
  return isGuid(company)
    ? `companies(${company})`
    : `companies(name=${encodeURIComponent(literal(company))})`;
}

export function companyUrl(settings: PlatformBSettings): string {
  return `${settings.api_url}/${companyPath(settings)}`;
}

/** The address of the entity set of a type. That of payments may be a custom page's. */
export function setUrl(settings: PlatformBSettings, entityType: StoredEntityType): string {
  if (entityType === 'payment' && settings.payments_url !== undefined) return settings.payments_url;
  return `${companyUrl(settings)}/${pages[entityType].name}`;
}

/** The address of one record, as it is written to. */
export function recordUrl(settings: PlatformBSettings, entityType: StoredEntityType, id: string): string {
  return `${setUrl(settings, entityType)}(${id})`;
}

/** The query options of every request that reads a type, so that a record has the same form from every request. */
export function viewOf(entityType: StoredEntityType): QueryOptions {
  const lines = documentPage(entityType)?.lines;
  return lines === undefined ? {} : { expand: lines };
}

/** `$` options of a query, by their name without it. */
export type QueryOptions = Readonly<
  Partial<Record<'count' | 'expand' | 'filter' | 'orderby' | 'select' | 'top', string>>
>;

/** An address with options. The slash stays as it is: the platform does not take an escaped one inside a value. */
export function withOptions(url: string, options: QueryOptions): string {
  const query = Object.entries(options)
    .map(([name, value]) => `$${name}=${encodeURIComponent(value).replaceAll('%2F', '/')}`)
    .join('&');
  return query === '' ? url : `${url}${url.includes('?') ? '&' : '?'}${query}`;
}

/** A text as a value of a filter. */
export function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
