import type { ObjectDetail } from '@app/client';
import { useState, type ReactNode } from 'react';
import { Link, useParams } from 'wouter';
import { useQueryMembers, hrefOf } from '../location';
import { CopyButton } from '../parts/copy-button';
import { Instant } from '../parts/values/instant';
import { Loaded } from '../parts/loaded';
import { Page } from '../parts/page';
import { typeName } from '../parts/words/type-words';
import { ApiCallsView } from './api-calls-view';
import { AsOf } from './as-of';
import { Evidence } from './evidence';
import { Fields } from './fields';
import { History } from './history/history';
import { labelOf } from '../parts/words/label';
import { PartDialog, PartRecords } from './part-records';
import { RawRecords } from './raw-records-view';
import { SettleDialog, type AskedSettling } from './settling/settle';
import { SettledNote, type SettleResult } from './settling/settled-note';
import { useObject } from './use-object';

const views = ['fields', 'history', 'evidence', 'records', 'api'] as const;
type View = (typeof views)[number];
const viewNames: Readonly<Record<View, string>> = {
  fields: 'Fields',
  history: 'History',
  evidence: 'Evidence of the link',
  records: 'Raw records',
  api: 'API calls',
};

/** One object: what it is, where its records differ, how it came to be so. */
export default function ObjectScreen(): ReactNode {
  const { id } = useParams<{ id: string }>();
  // Another object is another page, even if both are in the cache: the page takes the focus, and shows nothing of the
  // previous object.
  return <ObjectPage key={id} id={id} />;
}

function ObjectPage({ id }: { readonly id: string }): ReactNode {
  const members = useQueryMembers();
  const asOf = members.get('as_of') ?? undefined;
  const view = views.find((one) => one === members.get('view')) ?? 'fields';
  const object = useObject(id, asOf);
  const path = `/objects/${encodeURIComponent(id)}`;
  const [settled, setSettled] = useState<SettleResult>();
  // The first one stays: a person may be writing in it when the dry run of another one is answered.
  const [settling, setSettling] = useState<AskedSettling>();
  const [parting, setParting] = useState<ObjectDetail>();
  const title = object.data === undefined ? 'Object' : typeName[object.data.entity_type];
  return (
    <Page title={title} actions={<Link href="/objects">Find another object</Link>}>
      <AsOf path={path} view={view} asOf={asOf} />
      {settled !== undefined && (
        <SettledNote id={id} result={settled} onClose={() => setSettled(undefined)} />
      )}
      <Loaded query={object} what="the object" rows={8}>
        {(data) => (
          <>
            <Head object={data} asOf={asOf} onPart={setParting} />
            <nav aria-label="Views of the object">
              <ul>
                {views.map((one) => (
                  <li key={one}>
                    <Link
                      href={hrefOf(path, { view: one === 'fields' ? undefined : one, as_of: asOf })}
                      aria-current={one === view ? 'page' : undefined}
                    >
                      {viewNames[one]}
                    </Link>
                  </li>
                ))}
              </ul>
            </nav>
            {view === 'fields' && (
              <Fields object={data} asOf={asOf} onAsk={(asked) => setSettling((first) => first ?? asked)} />
            )}
            {view === 'history' && <History id={id} path={path} />}
            {view === 'evidence' && <Evidence object={data} />}
            {view === 'api' && <ApiCallsView id={id} asOf={asOf} />}
            {view === 'records' && <RawRecords id={id} asOf={asOf} version={data.version} />}
          </>
        )}
      </Loaded>
      {settling !== undefined && (
        <SettleDialog
          asked={settling}
          onSettled={(result) => {
            setSettling(undefined);
            setSettled(result);
          }}
          onClose={() => setSettling(undefined)}
        />
      )}
      {parting !== undefined && <PartDialog object={parting} onClose={() => setParting(undefined)} />}
    </Page>
  );
}

interface HeadProps {
  readonly object: ObjectDetail;
  readonly asOf: string | undefined;
  readonly onPart: (object: ObjectDetail) => void;
}

function Head({ object, asOf, onPart }: HeadProps): ReactNode {
  const { data, canonical_id: id, mappings, state, version } = object;
  return (
    <>
      <div className="page-head">
        <h2 className="name">{labelOf(data) ?? 'It has neither number nor name'}</h2>
        {asOf === undefined && state.deleted_at === null && <PartRecords object={object} onAsk={onPart} />}
      </div>
      <dl className="facts">
        <div>
          <dt>ID</dt>
          <dd>
            <code className="name">{id}</code> <CopyButton text={id} what="ID of the object" />
          </dd>
        </div>
        {mappings.map(({ platform, platform_id: native }) => (
          <div key={platform}>
            <dt>On {platform}</dt>
            <dd>
              <code className="name">{native}</code>
            </dd>
          </div>
        ))}
        <div>
          <dt>Version</dt>
          <dd>
            <code className="name">{version}</code>
          </dd>
        </div>
      </dl>
      {mappings.length === 1 && asOf === undefined && (
        <p className="note">
          <span aria-hidden="true">◧ </span>Only {mappings[0]?.platform} has it: there is nothing to compare
          with.
        </p>
      )}
      {state.deleted_at !== null && (
        <p className="note warning">
          <span aria-hidden="true">▲ </span>No platform has it any more, since{' '}
          <Instant at={state.deleted_at} />. What shows is its last state.
        </p>
      )}
      {(state.open || state.held) && (
        <p className="note warning">
          <span aria-hidden="true">{state.held ? '▲ ' : '◌ '}</span>
          {state.held ? 'A write to one of its records is held: a person has to look. ' : ''}
          {state.open && !state.held ? 'A write to one of its records is not decided yet. ' : ''}
          <Link href={hrefOf('/changes', { canonical_id: id })}>Its changes</Link>
        </p>
      )}
    </>
  );
}
