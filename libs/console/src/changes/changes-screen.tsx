import type { ListedPropagation } from '@app/client';
import { useState, type ReactNode } from 'react';
import { Link } from 'wouter';
import { useApi } from '../data/api';
import { useQueriedPages } from '../data/pages';
import { platforms, useMay } from '../data/queries';
import { useQueryMembers } from '../location';
import { Instant } from '../parts/values/instant';
import { Loaded } from '../parts/loaded';
import { countText } from '../parts/values/money-text';
import { Outcome } from '../parts/outcome';
import { Page } from '../parts/page';
import { Pager } from '../parts/tables/pager';
import { Table, type Column } from '../parts/tables/table';
import { typeName } from '../parts/words/type-words';
import { changesQueryOf, isOpen, stateWords, type ChangesQuery } from './changes-query';
import { DecideWrite, DecisionDialog, type Asked } from './decide-write';
import { Filters } from './filters';

/** What was changed through the service, what waits, is held or was rejected, and ways to go on with it. */
export default function ChangesScreen(): ReactNode {
  const query = changesQueryOf(useQueryMembers());
  return (
    <Page title="Changes">
      <Filters query={query} />
      <Changes query={query} />
    </Page>
  );
}

function Changes({ query }: { readonly query: ChangesQuery }): ReactNode {
  const api = useApi();
  const mayDecide = useMay('administer');
  const pages = useQueriedPages(
    ['changes', query],
    query,
    (page, call) => api.propagations(page, call),
    ({ data }) => data.some(({ state }) => state === 'pending'),
  );
  const [asked, setAsked] = useState<Asked>();
  return (
    <>
      <Loaded query={pages.query} what="the changes" rows={8}>
        {({ data, next_cursor: next, query: listed }) => (
          <div className="card">
            <Table
              caption={captionOf(data.length, next !== null)}
              label="Changes"
              columns={columnsOf(mayDecide ? setAsked : undefined)}
              rows={data}
              keyOf={({ propagation_id: id }) => id}
              empty={
                next === null
                  ? emptyWords(listed)
                  : 'None on this page. The search goes on with the next one.'
              }
            />
            <Pager what="the changes" steps={pages} />
          </div>
        )}
      </Loaded>
      {asked !== undefined && <DecisionDialog {...asked} onClose={() => setAsked(undefined)} />}
    </>
  );
}

function captionOf(rows: number, hasMore: boolean): string {
  return `${countText(rows)} ${rows === 1 ? 'change' : 'changes'}, newest first${hasMore ? '; there are more' : ''}`;
}

function emptyWords(query: ChangesQuery): string {
  return Object.keys(query).length === 0
    ? 'Nothing was changed through the service yet. An object is settled on its own page.'
    : 'No such change. Choose another state, or any.';
}

function columnsOf(onAsk: PlatformsProps['onAsk']): Column<ListedPropagation>[] {
  return [
    { name: 'When', cell: ({ at }) => <Instant at={at} />, isHead: true },
    {
      name: 'Object',
      cell: ({ canonical_id: id, entity_type: type }) => (
        <div className="titled">
          <Link href={`/objects/${encodeURIComponent(id)}`}>
            {typeName[type]} <code className="name">{id}</code>
          </Link>
        </div>
      ),
    },
    { name: 'State', cell: ({ state }) => <State state={state} /> },
    { name: 'Why', cell: (change) => <Why change={change} /> },
    { name: 'Platforms', cell: (change) => <Platforms change={change} onAsk={onAsk} /> },
  ];
}

function State({ state }: { readonly state: ListedPropagation['state'] }): ReactNode {
  const [mark, words] = stateWords[state];
  return (
    <span className={`mark ${state}`}>
      <span aria-hidden="true">{mark}</span> {words}
    </span>
  );
}

function Why({ change }: { readonly change: ListedPropagation }): ReactNode {
  const { reason, decided_by: who, request_id: request } = change;
  return (
    <>
      <p className="wraps">{reason ?? <span className="quiet">its request did not say</span>}</p>
      {who !== null && (
        <p className="wraps">
          Decided by <bdi>{who}</bdi>
        </p>
      )}
      <p className="quiet">
        <code>{request}</code>
      </p>
    </>
  );
}

interface PlatformsProps {
  readonly change: ListedPropagation;
  /** Undefined for a key that may not decide about writes. */
  readonly onAsk: ((asked: Asked) => void) | undefined;
}

function Platforms({ change, onAsk }: PlatformsProps): ReactNode {
  return platforms.flatMap((platform) => {
    const outcome = change.propagated[platform];
    if (outcome === undefined) return [];
    return [
      <div key={platform}>
        <Outcome platform={platform} outcome={outcome} />
        {onAsk !== undefined && isOpen(outcome.status) && (
          <DecideWrite change={change} platform={platform} outcome={outcome} onAsk={onAsk} />
        )}
      </div>,
    ];
  });
}
