import { ApiError, TranslationClient } from '@app/client';
import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { createContext, use } from 'react';
import { recordedFetch } from '../requests/request-log';
import { forgetSession, type Session } from '../session/session';
import { writtenTexts } from '../session/written';

/** The service's address. The console is one level below it, also behind a prefix. */
export const baseUrl = new URL('.', location.href).href.replace(/\/$/, '');

/** Milliseconds that one call may take: a connect waits 25 s, and a statement of an earlier time may take longer. */
const TIMEOUT = 130_000;

/** A client that calls with a key, or without one. */
export function clientWith(apiKey?: string): TranslationClient {
  return new TranslationClient({
    baseUrl,
    fetch: recordedFetch(),
    timeout: TIMEOUT,
    bigSums: true,
    ...(apiKey !== undefined && { apiKey }),
  });
}

const ApiContext = createContext<TranslationClient | undefined>(undefined);
export const ApiProvider = ApiContext.Provider;

/** The client of the session. */
export function useApi(): TranslationClient {
  const api = use(ApiContext);
  if (api === undefined) throw new Error('There is no session here');
  return api;
}

/**
 * The cache of everything that the console has read in a session. The client repeats calls where that is safe, so the
 * cache repeats none. If the service refuses the key, the session forgets it, whichever call was refused; what the person was
 * writing does not go with the screen.
 */
export function createQueryClient(session: Session): QueryClient {
  const onError = (error: unknown): void => {
    if (error instanceof ApiError && error.is('AUTHENTICATION_ERROR')) {
      forgetSession(session, 'The service does not accept this key, or not any more.', writtenTexts());
    }
  };
  return new QueryClient({
    queryCache: new QueryCache({ onError }),
    mutationCache: new MutationCache({ onError }),
    defaultOptions: {
      queries: { retry: false, staleTime: 15_000, networkMode: 'always' },
      mutations: { retry: false, networkMode: 'always' },
    },
  });
}
