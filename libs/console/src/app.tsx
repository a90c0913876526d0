import { QueryClientProvider } from '@tanstack/react-query';
import { useEffect, type ReactNode } from 'react';
import { Router } from 'wouter';
import { ApiProvider } from './data/api';
import { EntryScreen } from './entry/entry-screen';
import { usePath, useSearchText } from './location';
import { openedFor } from './opened';
import { useSaid } from './parts/announcer';
import { prepareTimes } from './parts/values/time-text';
import type { Session } from './session/session';
import { useHeld } from './session/session';
import { Shell } from './shell/shell';

/** The console: without a key the entry, with one the screens. */
export function App(): ReactNode {
  const { session, why, written } = useHeld();
  const said = useSaid();
  return (
    <Router hook={usePath} searchHook={useSearchText}>
      {session === undefined ? (
        <EntryScreen why={why} written={written} />
      ) : (
        <Open key={session.key} session={session} />
      )}
      <p className="hidden" role="status">
        {said.text}
        {/* A sentence that is said twice has to differ to be heard twice. */}
        {said.number % 2 === 1 ? '\u00a0' : ''}
      </p>
    </Router>
  );
}

/** What was read belongs to the key: another key begins with an empty cache. */
function Open({ session }: { readonly session: Session }): ReactNode {
  const { queries, api } = openedFor(session);
  useEffect(prepareTimes, []);
  return (
    <QueryClientProvider client={queries}>
      <ApiProvider value={api}>
        <Shell session={session} />
      </ApiProvider>
    </QueryClientProvider>
  );
}
