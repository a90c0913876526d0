import type { api } from '../app/api';

/** An event of the feed. Tests look into its data freely. */
export interface FeedEvent {
  readonly id: string;
  readonly sequence: number;
  readonly type: string;
  readonly at: string;
  readonly data: ReturnType<typeof JSON.parse>;
}

/** A reader of the feed that keeps its cursor between reads, as a program does that stores it. */
export class FeedReader {
  readonly events: FeedEvent[] = [];
  private cursor: string | undefined;

  constructor(private readonly filter: Readonly<Record<string, string>> = {}) {}

  /** Reads to the end of the feed. @returns what was new */
  async read(client: Pick<ReturnType<typeof api>, 'get'>): Promise<readonly FeedEvent[]> {
    const before = this.events.length;
    while (await this.readPage(client));
    return this.events.slice(before);
  }

  /** Reads the next page. @returns whether there is more */
  async readPage(client: Pick<ReturnType<typeof api>, 'get'>): Promise<boolean> {
    const query = new URLSearchParams({ ...this.filter, ...(this.cursor && { cursor: this.cursor }) });
    const { status, body } = await client.get(`/events?${query.toString()}`);
    expect(status).toBe(200);
    this.events.push(...body.data);
    this.cursor = body.next_cursor as string;
    return body.has_more === true;
  }
}

/** All events of a filter. */
export async function feedOf(
  client: Pick<ReturnType<typeof api>, 'get'>,
  filter: Readonly<Record<string, string>> = {},
): Promise<readonly FeedEvent[]> {
  return new FeedReader(filter).read(client);
}
