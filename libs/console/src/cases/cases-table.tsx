import type { ReactNode } from 'react';
import { Link } from 'wouter';
import type { CaseQuery } from '../data/case-query';
import { caseHref, objectHref, type Case } from '../data/cases';
import { platforms } from '../data/queries';
import { caseName, daysText, kindWords, markOf, stateWords, whyWords } from '../parts/words/case-words';
import { CaseSide } from '../parts/values/case-side';
import { Instant } from '../parts/values/instant';
import { Money } from '../parts/values/money';
import { Table, type Column } from '../parts/tables/table';

interface CasesTableProps {
  readonly caption: ReactNode;
  readonly rows: readonly Case[];
  readonly query: CaseQuery;
  readonly cursor: string | undefined;
  /** Undefined where nothing may be done with several. */
  readonly choice?: { readonly has: (id: string) => boolean; readonly toggle: (one: Case) => void };
  readonly empty: ReactNode;
}

/** Cases in rows: each opens the case, or its object. */
export function CasesTable({ caption, rows, query, cursor, choice, empty }: CasesTableProps): ReactNode {
  const choose: Column<Case> = {
    name: 'Choose',
    isNameHidden: true,
    cell: (one) => (
      <input
        type="checkbox"
        aria-label={`Choose ${one.label ?? one.id}`}
        checked={choice?.has(one.id) ?? false}
        onChange={() => choice?.toggle(one)}
      />
    ),
  };
  const columns: readonly Column<Case>[] = [
    ...(choice === undefined ? [] : [choose]),
    {
      name: 'Case',
      isHead: true,
      cell: (one) => (
        <div className="titled">
          <Link className="text" href={caseHref(one.id, query, cursor)}>
            {caseName(one)}
          </Link>
          <div className="quiet text">
            {one.entity_type}
            {one.counterparty !== null && (
              <>
                , <bdi>{one.counterparty}</bdi>
              </>
            )}{' '}
            · <ObjectLink one={one} />
          </div>
        </div>
      ),
    },
    {
      name: 'Kind',
      cell: (one) => (
        <div className="explained">
          <span className="unbroken">
            <span aria-hidden="true">{markOf(one)}</span> {kindWords[one.kind]}
          </span>
          <div className="quiet text">{whyWords(one)}</div>
        </div>
      ),
    },
    ...platforms.map((platform): Column<Case> => ({
      name: platform,
      isNumber: true,
      cell: (one) => <CaseSide one={one} platform={platform} />,
    })),
    {
      name: 'Difference',
      isNumber: true,
      cell: ({ difference }) => (difference === null ? '–' : <Money of={difference} sign="always" />),
    },
    { name: 'Age', isNumber: true, cell: ({ age_days: days }) => daysText(days) },
    { name: 'State', cell: stateCell },
  ];
  return (
    <Table
      caption={caption}
      label="Cases"
      columns={columns}
      rows={rows}
      keyOf={({ id }) => id}
      empty={empty}
    />
  );
}

function stateCell({ state, accepted, owner, closed_at: closedAt }: Case): ReactNode {
  return (
    <>
      {stateWords[state]}
      {owner !== null && <div className="quiet text">{owner}</div>}
      {accepted !== null && <div className="quiet text">{accepted.reason}</div>}
      {closedAt !== null && (
        <div className="quiet">
          <Instant at={closedAt} />
        </div>
      )}
    </>
  );
}

function ObjectLink({ one }: { readonly one: Case }): ReactNode {
  return (
    <Link href={objectHref(one.canonical_id)} aria-label={`The object of ${one.label ?? one.id}`}>
      object
    </Link>
  );
}
