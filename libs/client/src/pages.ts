/** A page of a longer result. */
export interface Page<Item> {
  readonly data: readonly Item[];
  /** Where the next page begins; null on the last one. */
  readonly next_cursor: string | null;
}

/** A page of a result that may be counted. */
export interface CountedPage<Item> extends Page<Item> {
  /** With `count`: how many items there are in all, counted up to a limit. */
  readonly total?: number;
  /** With `count`: whether `total` is all of them. */
  readonly total_exact?: boolean | undefined;
}

/** The items of all pages, one after the other. A page is read when its first item is asked for. */
export async function* itemsOf<Item>(
  read: (cursor: { readonly cursor?: string }) => Promise<Page<Item>>,
): AsyncGenerator<Item, void, undefined> {
  let cursor: string | null | undefined;
  while (cursor !== null) {
    const page: Page<Item> = await read(cursor === undefined ? {} : { cursor });
    yield* page.data;
    cursor = page.next_cursor;
  }
}
