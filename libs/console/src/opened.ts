import type { TranslationClient } from '@app/client';
import type { QueryClient } from '@tanstack/react-query';
import { clientWith, createQueryClient } from './data/api';
import { readAhead } from './data/queries';
import { placeOf } from './location';
import type { Session } from './session/session';
import { queryOf } from './statement/statement-query';

/** What works with the key of a session: a client, and what was read by it. */
export interface Opened {
  readonly api: TranslationClient;
  readonly queries: QueryClient;
}

const opened = new WeakMap<Session, Opened>();

/** The client of a session and its cache. When they are made, what the first screen shows begins to be read. */
export function openedFor(session: Session): Opened {
  const known = opened.get(session);
  if (known !== undefined) return known;
  const made = { api: clientWith(session.key), queries: createQueryClient(session) };
  opened.set(session, made);
  const { path, search } = placeOf(location.hash);
  readAhead(made.queries, made.api, path === '/' ? queryOf(new URLSearchParams(search)) : undefined);
  return made;
}
