import { useEffect, useRef, useState, type ReactNode, type Ref } from 'react';
import { Link, useLocation } from 'wouter';
import { loadPart } from '../parts/load-part';
import type { ScreenRoute } from '../routes';
import { forgetSession, type Session } from '../session/session';

// Most sessions end without it, and no other part of the first screen has a dialog: a chunk of its own.
const EndDemoDialog = loadPart({
  name: 'the end of a demo',
  what: 'the dialog',
  rows: 1,
  load: () => import('./end-demo-dialog'),
});

interface HeaderProps {
  readonly session: Session;
  /** Undefined until it is known. */
  readonly customer: string | undefined;
  readonly routes: readonly ScreenRoute[];
  readonly showsRequests: boolean;
  /** The button that opens the requests. */
  readonly requests: Ref<HTMLButtonElement>;
  readonly onRequests: () => void;
}

/** Whose books these are, with which kind of key, and the ways to the screens. */
export function Header(props: HeaderProps): ReactNode {
  const { session, customer, routes, showsRequests, requests, onRequests } = props;
  const { mode } = session;
  const [path] = useLocation();
  const nav = useRef<HTMLElement>(null);
  useEffect(() => {
    // In a narrow window the screens are one line, of which some are out of sight.
    const current = nav.current?.querySelector<HTMLElement>('[aria-current]');
    if (nav.current && current) nav.current.scrollLeft = current.offsetLeft - nav.current.clientWidth / 2;
  }, [path, routes.length]);
  return (
    <header>
      <p className="whose">
        <span className={`mode ${mode}`}>{mode.toUpperCase()}</span>
        <strong className="name" title={customer}>
          {customer ?? '…'}
        </strong>
      </p>
      <div className="actions">
        <button ref={requests} type="button" aria-expanded={showsRequests} onClick={onRequests}>
          Requests
        </button>
        {mode === 'demo' && <EndDemo session={session} />}
        <button type="button" onClick={() => forgetSession(session)}>
          Forget key
        </button>
      </div>
      <nav ref={nav} aria-label="Screens">
        <ul>
          {routes.flatMap((route) =>
            route.navigation === undefined ? (
              []
            ) : (
              <li key={route.path}>
                <Link href={route.path} aria-current={currentAt(route.path, path)}>
                  {route.navigation}
                </Link>
              </li>
            ),
          )}
        </ul>
      </nav>
    </header>
  );
}

/** A case, an object or a sign-off belongs to the list that leads to it. */
function currentAt(screen: string, path: string): 'page' | 'true' | undefined {
  if (path === screen) return 'page';
  return path.startsWith(`${screen}/`) ? 'true' : undefined;
}

function EndDemo({ session }: { readonly session: Session }): ReactNode {
  const [asks, setAsks] = useState(false);
  return (
    <>
      <button type="button" onClick={() => setAsks(true)}>
        End demo
      </button>
      {asks && <EndDemoDialog session={session} onClose={() => setAsks(false)} />}
    </>
  );
}
