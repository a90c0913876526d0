import { AsyncLocalStorage } from 'node:async_hooks';

/** What log lines written during a request know about it. Decoration for the log only: nothing decides by it. */
export const requestContext = new AsyncLocalStorage<{ readonly requestId: string }>();
