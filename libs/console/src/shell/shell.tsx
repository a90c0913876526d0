import { useRef, useState, type ReactNode } from 'react';
import { Route, Switch } from 'wouter';
import { useMe } from '../data/queries';
import { ErrorNote } from '../parts/error-note';
import { Page } from '../parts/page';
import { SkipLink } from '../parts/skip-link';
import { RequestsDrawer } from '../requests/requests-drawer';
import { routes, type ScreenRoute } from '../routes';
import type { Session } from '../session/session';
import { Faults } from './faults';
import { Header } from './header';
import { Notices } from './notices';

/**
 * What surrounds every screen: header, navigation, the drawer of requests. Where it is not known who calls, its error stands in
 * place of the screens, whose permissions and time zone would be guesses.
 */
export function Shell({ session }: { readonly session: Session }): ReactNode {
  const me = useMe();
  const [showsRequests, setShowsRequests] = useState(false);
  const requests = useRef<HTMLButtonElement>(null);
  const offered = routes.filter(({ needs }) => me.data?.key.permissions.includes(needs) ?? true);
  return (
    <>
      <SkipLink to="main">Skip to the content</SkipLink>
      <Header
        session={session}
        customer={me.data?.customer.name}
        routes={offered}
        showsRequests={showsRequests}
        requests={requests}
        onRequests={() => setShowsRequests((shown) => !shown)}
      />
      <main id="main" tabIndex={-1}>
        <Notices />
        <Faults>
          {me.error !== null && me.data === undefined ? (
            <Page title="Not ready">
              <ErrorNote error={me.error} retry={() => void me.refetch()} />
            </Page>
          ) : (
            <Screens routes={offered} />
          )}
        </Faults>
      </main>
      <footer className="quiet">
        <a href="docs">API reference</a> · <a href={licences()}>Licences of what this console is made of</a>
      </footer>
      {showsRequests && (
        <RequestsDrawer
          onClose={() => {
            setShowsRequests(false);
            requests.current?.focus();
          }}
        />
      )}
    </>
  );
}

/** The screen of the address, or that there is none. */
function Screens({ routes: offered }: { readonly routes: readonly ScreenRoute[] }): ReactNode {
  return (
    <Switch>
      {offered.map(({ path, Screen }) => (
        <Route key={path} path={path} component={Screen} />
      ))}
      <Route>
        <Page title="No such screen">
          <p>
            Nothing is at this address, or the key may not see it. The navigation above leads to what there
            is.
          </p>
        </Page>
      </Route>
    </Switch>
  );
}

/** The build names the file in the page, because its name changes with its content. */
function licences(): string | undefined {
  return document.querySelector<HTMLLinkElement>('link[rel="license"]')?.href;
}
