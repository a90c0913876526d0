import type { ObjectDetail } from '@app/client';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { Instant } from '../parts/values/instant';
import { Table } from '../parts/tables/table';
import { nameOf } from '../parts/words/decision-words';
import { rejectionWords, ruleWords } from '../parts/words/object-words';

/** Why its records are one object, and which ones people have ruled out. */
export function Evidence({ object }: { readonly object: ObjectDetail }): ReactNode {
  const { evidence, ruled_out: ruledOut, ruled_out_total: total } = object;
  return (
    <>
      {evidence.length === 0 && (
        <p>
          It has one record, so nothing was linked. A link is made when both platforms have a record with its
          key.
        </p>
      )}
      {evidence.map((link) => (
        <LinkOfRecords key={link.records.map(nameOf).join(' ')} link={link} />
      ))}
      {total > 0 && (
        <Table
          caption={`Records that people have said are something else${total > ruledOut.length ? `, the latest ${ruledOut.length} of ${total}` : ''}`}
          label="Records that are ruled out"
          columns={[
            { name: 'Record', cell: (one) => <code className="name">{nameOf(one)}</code>, isHead: true },
            { name: 'Is not', cell: ({ record }) => <code className="name">{nameOf(record)}</code> },
            { name: 'Why', cell: ({ reason }) => reason },
            { name: 'Decided by', cell: ({ decided_by: who }) => who },
            { name: 'When', cell: ({ at }) => <Instant at={at} /> },
            {
              name: 'Its object',
              cell: ({ canonical_id: id }) => (id === null ? 'not there now' : <ObjectLink id={id} />),
            },
          ]}
          rows={ruledOut}
          keyOf={({ decision_id: id, platform_id: native }) => `${id} ${native}`}
        />
      )}
    </>
  );
}

function LinkOfRecords({ link }: { readonly link: ObjectDetail['evidence'][number] }): ReactNode {
  const {
    records,
    rule,
    rule_version: version,
    keys,
    parents,
    candidates,
    more_candidates: more,
    linked_at: at,
    by,
  } = link;
  return (
    <section className="card">
      <h2>{records.map(nameOf).join(' and ')}</h2>
      <p>
        {ruleWords(rule)}
        {version !== null && ` (rules v${version})`}.{' '}
        {at !== null && (
          <>
            Linked <Instant at={at} />.{' '}
          </>
        )}
        {by?.decided_by !== undefined && (
          <>
            Decided by <bdi>{by.decided_by}</bdi>.{' '}
          </>
        )}
        {by?.reason !== undefined && (
          <>
            Reason: <bdi>{by.reason}</bdi>
          </>
        )}
      </p>
      {keys.length > 0 && (
        <Table
          caption="Keys at the time of the link"
          label="Keys"
          columns={[
            { name: 'Platform', cell: ({ platform }) => platform, isHead: true },
            { name: 'As written', cell: ({ written }) => <code className="name">{written}</code> },
            { name: 'As compared', cell: ({ normalised }) => <code className="name">{normalised}</code> },
          ]}
          rows={keys}
          keyOf={({ platform }) => platform}
        />
      )}
      {parents.length > 0 && (
        <p>
          Under the parents:{' '}
          {parents.map((id) => (
            <ObjectLink key={id} id={id} />
          ))}
        </p>
      )}
      {candidates.length > 0 && (
        <Table
          caption={`Other records with the key${more > 0 ? `, and ${more} more` : ''}`}
          label="Other records with the key"
          columns={[
            { name: 'Record', cell: (one) => <code className="name">{nameOf(one)}</code>, isHead: true },
            { name: 'Why not', cell: ({ why }) => rejectionWords(why) },
            { name: 'Its object then', cell: ({ canonical_id: id }) => <ObjectLink id={id} /> },
          ]}
          rows={candidates}
          keyOf={nameOf}
        />
      )}
    </section>
  );
}

function ObjectLink({ id }: { readonly id: string }): ReactNode {
  return (
    <Link href={`/objects/${encodeURIComponent(id)}`} className="name">
      {id}
    </Link>
  );
}
