import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { objectHref, type CaseDetail } from '../data/cases';
import { platforms } from '../data/queries';
import { CopyButton } from '../parts/copy-button';
import {
  daysText,
  kindWords,
  markOf,
  settlementWords,
  stateWords,
  whyWords,
} from '../parts/words/case-words';
import { Instant } from '../parts/values/instant';
import { Money } from '../parts/values/money';

/** What a case is about, how it stands with it, and what would settle it. */
export function CaseFacts({ one }: { readonly one: CaseDetail }): ReactNode {
  const facts: readonly (readonly [string, ReactNode])[] = [
    [
      'Kind',
      <>
        <span aria-hidden="true">{markOf(one)}</span> {kindWords[one.kind]}
      </>,
    ],
    ['Type', one.entity_type],
    ['Counterparty', one.counterparty],
    ['Project', one.project?.name],
    ...platforms.map((platform) => {
      const amount = one.amounts[platform];
      return [platform, amount ? <Money of={amount.native} /> : null] as const;
    }),
    ['Difference', one.difference === null ? null : <Money of={one.difference} sign="always" />],
    ['Date', one.document_date],
    ['Due', one.due_date],
    ['Open for', daysText(one.age_days)],
    ['State', stateWords[one.state]],
    ['Owner', one.owner],
  ];
  return (
    <>
      <dl className="facts">
        {facts.map(([name, value]) =>
          value === null || value === undefined ? null : (
            <div key={name}>
              <dt>{name}</dt>
              <dd className="text">{value}</dd>
            </div>
          ),
        )}
      </dl>
      <Addresses of={one.links} />
      <p className="text">
        Why: <bdi>{whyWords(one)}</bdi>.
      </p>
      {one.state === 'closed' ? <Closed one={one} /> : <Settlement one={one} />}
      {one.accepted !== null && (
        <p className="note text">
          Accepted by <bdi>{one.accepted.decided_by}</bdi>, <Instant at={one.accepted.at} />:{' '}
          <bdi>{one.accepted.reason}</bdi>
          {one.accepted.until !== null && ` (until ${one.accepted.until})`}
        </p>
      )}
    </>
  );
}

/** Where the records are on live platforms. Text to copy: no link is made of data, and most of these want a login. */
function Addresses({ of: links }: { readonly of: CaseDetail['links'] }): ReactNode {
  return platforms.map((platform) => {
    const address = links[platform];
    return address === undefined || address === null ? null : (
      <p key={platform} className="text">
        On {platform}: <code>{address}</code> <CopyButton text={address} what={`address on ${platform}`} />
      </p>
    );
  });
}

function Settlement({ one }: { readonly one: CaseDetail }): ReactNode {
  return (
    <p className="text">
      {settlementWords(one).join(' ')} <Link href={objectHref(one.canonical_id)}>Open the object</Link>
    </p>
  );
}

const closers: Readonly<Record<NonNullable<CaseDetail['closed_by']>['type'], string>> = {
  propagation: 'a change through this service',
  decision: 'a decision',
  run: 'a reading of a platform',
  record_gone: 'a record that is gone',
  terms: 'a change of rates or of precedence',
};

function Closed({ one: { closed_at: at, closed_by: by } }: { readonly one: CaseDetail }): ReactNode {
  return (
    <p className="note good text">
      <span aria-hidden="true">● </span>Closed
      {at !== null && (
        <>
          , <Instant at={at} />
        </>
      )}
      {by !== null && `, by ${closers[by.type]}`}
      {by !== null && by.decided_by !== null && (
        <>
          {' '}
          of <bdi>{by.decided_by}</bdi>
        </>
      )}
      {by !== null && by.reason !== null && (
        <>
          : <bdi>{by.reason}</bdi>
        </>
      )}
      . There is nothing left to decide.
    </p>
  );
}
