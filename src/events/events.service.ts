import { Inject, Injectable } from '@nestjs/common';
import { ApiError } from '../common/errors/api-error';
import { CustomerTimes } from '../common/paging/customer-times';
import { Cursors, Paged, PAGE_SIZE } from '../common/paging/paging';
import { isCount, isUuid } from '../common/paging/sort-keys';
import { JsonText } from '../common/response/handler-results';
import { ResponseMemory, MADE_OF_STORED } from '../common/response/memory/response-memory';
import type { PendingResponse } from '../common/response/memory/pending-response';
import {
  EventFeed,
  EventsRemoved,
  FeedReplaced,
  PAGE_LENGTH,
  type FeedPlace,
} from '../records/events/event-feed';
import { keptSince } from '../records/events/kept-since';
import { Clock } from '../runtime/clock/clock';
import { ENVIRONMENT, type Environment } from '../runtime/config/environment';
import type { EventsQuery } from './events.dto';

/** The cause is empty where it is not known. */
const cursors = new Cursors<readonly [sequence: number, causeId: string]>('events', [
  isCount,
  (value): value is string => value === '' || isUuid(value),
]);

const RESTORED =
  'The events of this cursor are gone, since the service was restored from a backup; start again without it';

/** Memory that is reserved for a page until it is made: its text, and the records of a step. */
const PAGE_MEMORY = 2 * PAGE_LENGTH + MADE_OF_STORED * 1024 * 1024;

/** The feed of events, as the API returns it. */
@Injectable()
export class EventsService {
  constructor(
    private readonly feed: EventFeed,
    private readonly times: CustomerTimes,
    private readonly memory: ResponseMemory,
    private readonly clock: Clock,
    @Inject(ENVIRONMENT) private readonly environment: Environment,
  ) {}

  /**
   * A page of the feed, oldest first. Its cursor is never null: a reader stores it, polls with it, and gets each event
   * once.
   *
   * @throws ApiError 400 for a cursor of another query; NOT_FOUND when events after the cursor were removed, or when
   *   the cursor is from after the backup from which the database was restored; Overloaded if no memory becomes free
   */
  async list(
    customerId: string,
    { limit = PAGE_SIZE.usual, cursor, ...query }: EventsQuery,
    answer: PendingResponse,
  ): Promise<Paged<JsonText>> {
    const after =
      cursor === undefined ? undefined : placeOf(cursors.decode(customerId, { ...query }, cursor));
    const { type, entity_type: entityType, canonical_id: canonicalId } = query;
    const since = query.since === undefined ? undefined : await this.times.first(customerId, query.since);
    const filter = { types: type === undefined ? undefined : [type], entityType, canonicalId, since };
    await this.memory.reserve(answer, PAGE_MEMORY);
    try {
      const page = await this.feed.page(
        customerId,
        { ...filter, after, limit, keptSince: keptSince(this.environment.historyTtlMs, this.clock.now()) },
        answer.gone,
      );
      return new Paged(
        new JsonText(`[${page.events.map(({ text }) => text).join(',')}]`),
        cursors.encode(customerId, { ...query }, [page.next.sequence, page.next.causeId ?? '']),
        { has_more: page.hasMore },
      );
    } catch (error) {
      if (error instanceof FeedReplaced) throw new ApiError('NOT_FOUND', RESTORED);
      if (!(error instanceof EventsRemoved)) throw error;
      throw new ApiError(
        'NOT_FOUND',
        'Events behind this cursor are kept no more; read what there is, and start again without it',
      );
    }
  }
}

function placeOf([sequence, causeId]: readonly [number, string]): FeedPlace {
  return { sequence, causeId: causeId === '' ? null : causeId };
}
