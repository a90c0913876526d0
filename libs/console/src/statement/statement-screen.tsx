import { useMutation } from '@tanstack/react-query';
import { useDeferredValue, type ReactNode } from 'react';
import { Link } from 'wouter';
import { useApi } from '../data/api';
import { useConnections, useMe, useStatement, useTimeZone, type ReadStatement } from '../data/queries';
import { useSync } from '../parts/use-sync';
import { hrefOf, useQueryMembers } from '../location';
import { announce } from '../parts/announcer';
import { download } from '../parts/download';
import { ErrorNote } from '../parts/error-note';
import { Loaded } from '../parts/loaded';
import { loadPart } from '../parts/load-part';
import { Page } from '../parts/page';
import { AriaDisabledButton } from '../parts/aria-disabled-button';
import { dayIn } from '../parts/values/time-text';
import { Completeness } from './completeness';
import { Overview } from './overview';
import { Rates } from './rates';
import { queryOf } from './statement-query';
import { isOfNow } from './statement-words';
import { Scope } from './scope';
import { StatementFacts } from './statement-facts';
import { TypeSection } from './type-section';
import { useOldest } from './use-oldest';

// Below the figures, and not needed for them: a chunk of its own.
const Signing = loadPart({
  name: 'signing',
  what: 'the sign-offs',
  rows: 2,
  load: () => import('./signing/signing'),
});

/** Whether the books agree, as of when, and what explains the rest. */
export function StatementScreen(): ReactNode {
  const query = queryOf(useQueryMembers());
  const statement = useStatement(query);
  const isThere = statement.data !== undefined;
  // The overview is drawn first, and the rest in the turns that follow: it is most of the page, and below the window.
  const isWhole = useDeferredValue(isThere, false);
  // The first table does not wait for what stands above it.
  const sync = useSync();
  const connections = useConnections({
    enabled: isThere && isOfNow(statement.data),
    watch: sync.under !== undefined,
  });
  const oldest = useOldest(isThere && !hasNothing(statement.data) ? statement.data : undefined);
  return (
    <Page title="Statement" actions={isThere && <Actions statement={statement.data} />}>
      <Scope query={query} currencies={useMe().data?.currencies ?? []} />
      <Loaded query={statement} what="the statement" rows={8}>
        {(data) => (
          <>
            <StatementFacts
              statement={data}
              connections={connections.data ?? (connections.isError ? null : undefined)}
              sync={sync}
            />
            <Completeness statement={data} />
            {hasNothing(data) ? (
              <Nothing statement={data} />
            ) : (
              <>
                <Overview statement={data} oldest={oldest} />
                {isWhole && <Details statement={data} />}
              </>
            )}
          </>
        )}
      </Loaded>
    </Page>
  );
}

/** Every type by itself, the rates, and the names under the figures. */
function Details({ statement }: { readonly statement: ReadStatement }): ReactNode {
  return (
    <>
      {statement.types.map((type) => (
        <TypeSection key={type.entity_type} type={type} statement={statement} />
      ))}
      <Rates statement={statement} />
      <Signing statement={statement} />
    </>
  );
}

/** Neither platform is connected, or was at the time of the statement: there is no number that could be true. */
function hasNothing({ reasons, platforms }: ReadStatement): boolean {
  return platforms.every((platform) =>
    reasons.some((one) => one.reason === 'not_connected' && one.platform === platform),
  );
}

function Nothing({ statement }: { readonly statement: ReadStatement }): ReactNode {
  const { through, currency, entity_type, project_id } = statement.query;
  return (
    <div className="card empty">
      <h2>No platform {isOfNow(statement) ? 'is connected' : 'was connected then'}</h2>
      {isOfNow(statement) ? (
        <p>
          <Link href="/connections">Connect a platform</Link>, then the other one. The statement shows what
          they agree on.
        </p>
      ) : (
        <p>
          <Link href={hrefOf('/', { through, currency, entity_type, project_id })}>
            The statement as it is now
          </Link>
        </p>
      )}
    </div>
  );
}

function Actions({ statement }: { readonly statement: ReadStatement }): ReactNode {
  const { query } = statement;
  const api = useApi();
  const zone = useTimeZone();
  const file = useMutation({
    // What shows, also while another statement is read, and of its moment; an incomplete one cannot be asked for again.
    mutationFn: () =>
      api.statementCsv(statement.complete ? { ...query, as_of: query.as_of ?? statement.as_of } : query),
    onSuccess: (text) => {
      download(`statement-${dayIn(statement.as_of, zone)}.csv`, text, 'text/csv;charset=utf-8');
      announce('The file is with your downloads.');
    },
  });
  return (
    <>
      <AriaDisabledButton isOff={file.isPending} onClick={() => file.mutate()}>
        {file.isPending ? 'Reading …' : 'CSV'}
      </AriaDisabledButton>
      <button type="button" onClick={() => print()}>
        Print
      </button>
      {file.error !== null && <ErrorNote error={file.error} retry={() => file.mutate()} />}
    </>
  );
}
