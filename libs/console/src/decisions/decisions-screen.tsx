import { useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { useApi } from '../data/api';
import { objectHref } from '../data/cases';
import type { DecisionsQuery, ListedDecision } from '../data/decisions';
import { useQueriedPages } from '../data/pages';
import { useMay } from '../data/queries';
import { readAgainAfterDecision } from '../data/read-again';
import { hrefOf, useQueryMembers } from '../location';
import { CsvButton } from '../parts/csv-button';
import { ChoiceField } from '../parts/dialogs/choice-field';
import { useWithdrawal, WithdrawButton, type Withdrawal } from '../parts/dialogs/withdraw-decisions';
import { ScopeForm } from '../parts/scope-form';
import { Loaded } from '../parts/loaded';
import { Page } from '../parts/page';
import { Pager } from '../parts/tables/pager';
import { Table, type Column } from '../parts/tables/table';
import { Instant } from '../parts/values/instant';
import { decisionWords, nameOf } from '../parts/words/decision-words';
import { storedTypeOf, typeName, typeOptions } from '../parts/words/type-words';
import { decisionsQueryOf } from './decisions-query';

/**
 * The decisions of people about which records are the same, with their reasons. It shows standing decisions unless the
 * address requests others.
 */
export default function DecisionsScreen(): ReactNode {
  const api = useApi();
  const queries = useQueryClient();
  const withdrawal = useWithdrawal(() => void readAgainAfterDecision(queries));
  const query = decisionsQueryOf(useQueryMembers());
  const pages = useQueriedPages(['decisions', 'list', query], query, (page, call) =>
    api.decisions(page, call),
  );
  const listed = pages.query.data?.query ?? query;
  return (
    <Page
      title="Decisions"
      actions={<CsvButton words="CSV of these" read={() => api.decisionsCsv(listed)} name="decisions" />}
    >
      <Chosen query={query} />
      <Loaded query={pages.query} what="the decisions" rows={6}>
        {(page) => <List decisions={page.data} query={page.query} onAsk={withdrawal.ask} />}
      </Loaded>
      <Pager what="decisions" steps={pages} />
      {withdrawal.dialog}
    </Page>
  );
}

const statuses = [
  ['standing', 'standing'],
  ['withdrawn', 'withdrawn'],
  ['all', 'standing and withdrawn'],
] as const;

const kinds = [
  ['', 'either'],
  ['link', 'linked'],
  ['not_same', 'not the same'],
] as const;

function Chosen({ query }: { readonly query: DecisionsQuery }): ReactNode {
  return (
    <ScopeForm query={query} addressOf={(texts) => hrefOf('/decisions', texts)}>
      <ChoiceField label="Decisions" name="status" options={statuses} value={query.status ?? 'all'} />
      <ChoiceField label="Decided" name="decision" options={kinds} value={query.decision} />
      <ChoiceField
        label="Type"
        name="entity_type"
        options={[['', 'all'], ...typeOptions]}
        value={query.entity_type}
      />
    </ScopeForm>
  );
}

interface ListProps {
  readonly decisions: readonly ListedDecision[];
  readonly query: DecisionsQuery;
  readonly onAsk: Withdrawal['ask'];
}

function List({ decisions, query, onAsk }: ListProps): ReactNode {
  const mayWithdraw = useMay('decide') && query.status !== 'withdrawn';
  const withdraw: Column<ListedDecision> = {
    name: 'Change',
    cell: ({ id, status, records }) =>
      id !== null && status === 'standing' ? (
        <WithdrawButton id={id} what={records.map(nameOf).join(' and ')} onAsk={onAsk} />
      ) : null,
  };
  return (
    <div className="card">
      <Table
        caption="The latest first"
        label="Decisions"
        columns={[...columns, ...(mayWithdraw ? [withdraw] : [])]}
        rows={decisions}
        keyOf={({ id, decided_at: at }) => id ?? at}
        empty={<Nothing query={query} />}
      />
    </div>
  );
}

const columns: readonly Column<ListedDecision>[] = [
  {
    name: 'Decided',
    cell: ({ decision }) => (
      <>
        <span aria-hidden="true">{decision === 'link' ? '=' : '≠'}</span> {decisionWords(decision)}
      </>
    ),
  },
  { name: 'Records', isHead: true, cell: (one) => <Records of={one} /> },
  { name: 'Reason', cell: ({ reason }) => <span className="name">{reason}</span> },
  { name: 'Decided by', cell: ({ decided_by: by }) => <span className="name">{by}</span> },
  { name: 'When', cell: ({ decided_at: at }) => <Instant at={at} /> },
  { name: 'State', cell: (one) => <State of={one} /> },
];

/** Each record leads to its object of now. */
function Records({ of: { entity_type: type, records } }: { readonly of: ListedDecision }): ReactNode {
  const known = storedTypeOf(type);
  return (
    <div className="titled">
      <span className="quiet">{known === undefined ? type : typeName[known]}</span>
      {records.map((record) => (
        <div key={nameOf(record)} className="text">
          {record.canonical_id === null ? (
            nameOf(record)
          ) : (
            <Link href={objectHref(record.canonical_id)}>{nameOf(record)}</Link>
          )}
        </div>
      ))}
    </div>
  );
}

function State({ of: { withdrawn } }: { readonly of: ListedDecision }): ReactNode {
  if (withdrawn === null) return 'Stands';
  return (
    <>
      Withdrawn
      <div className="quiet text">
        by <bdi>{withdrawn.by}</bdi>, <Instant at={withdrawn.at} />: <bdi>{withdrawn.reason}</bdi>
      </div>
    </>
  );
}

function Nothing({ query }: { readonly query: DecisionsQuery }): ReactNode {
  const isFiltered =
    query.status !== 'standing' || query.decision !== undefined || query.entity_type !== undefined;
  return isFiltered ? (
    <p>
      No decision is like this. <Link href="/decisions">Show those that stand</Link>
    </p>
  ) : (
    <p>
      No decision stands: the rules have linked what is linked. Decisions are made at{' '}
      <Link href="/cases?kind=ambiguous">cases whose match is not certain</Link>.
    </p>
  );
}
