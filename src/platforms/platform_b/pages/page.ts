import type { NativeResource } from '@app/mapper';

/** An API page: an entity set and its fields, in the order in which the platform validates them. */
export type Page = NativeResource;

/** A page with lines. The totals are computed from the lines. A change of the amount names one of the totals. */
export type DocumentPage = Page & Record<'lines' | 'total' | 'documentWord', string>;
