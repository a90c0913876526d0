import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { useApi } from '../data/api';
import { useQueriedPages } from '../data/pages';
import { signoffHref, signoffKeys, type Signoff, type SignoffQuery } from '../data/signoffs';
import { hrefOf, useQueryMembers } from '../location';
import { CsvButton } from '../parts/csv-button';
import { ChoiceField } from '../parts/dialogs/choice-field';
import { figureWords } from '../parts/words/figure-words';
import { typeWords } from '../parts/words/type-words';
import { FigureValue, keyOfFigure } from '../parts/tables/figure-changes';
import { Instant } from '../parts/values/instant';
import { Loaded } from '../parts/loaded';
import { countText } from '../parts/values/money-text';
import { Page } from '../parts/page';
import { Pager } from '../parts/tables/pager';
import { standingOf } from '../parts/words/signoff-words';
import { signoffColumns } from '../parts/tables/signoff-columns';
import { Table } from '../parts/tables/table';
import { StatusMark } from '../parts/values/status-mark';
import { scopeText } from './signed-scope';
import { signoffQueryOf } from './signoff-query';
import { ScopeForm } from '../parts/scope-form';

/** Whose names stand under which figures, and what has become of the figures. */
export default function SignoffsScreen(): ReactNode {
  const api = useApi();
  const query = signoffQueryOf(useQueryMembers());
  const pages = useQueriedPages(signoffKeys.list(query), query, (page, call) => api.signoffs(page, call));
  const listed = pages.query.data?.query ?? query;
  return (
    <Page
      title="Sign-offs"
      actions={<CsvButton words="CSV" read={() => api.signoffsCsv(listed)} name="signoffs" />}
    >
      <Chosen query={query} />
      <Loaded query={pages.query} what="the sign-offs" rows={6}>
        {(page) => <List signoffs={page.data} isFiltered={Object.keys(page.query).length > 0} />}
      </Loaded>
      <Pager what="sign-offs" steps={pages} />
    </Page>
  );
}

const states = [
  ['', 'standing and withdrawn'],
  ['standing', 'standing'],
  ['withdrawn', 'withdrawn'],
] as const;

const roles = [
  ['', 'either'],
  ['prepared', 'prepared'],
  ['reviewed', 'reviewed'],
] as const;

function Chosen({ query }: { readonly query: SignoffQuery }): ReactNode {
  return (
    <ScopeForm query={query} addressOf={(texts) => hrefOf('/signoffs', texts)}>
      <ChoiceField label="Sign-offs" name="state" options={states} value={query.state} />
      <ChoiceField label="Role" name="role" options={roles} value={query.role} />
    </ScopeForm>
  );
}

interface ListProps {
  readonly signoffs: readonly Signoff[];
  readonly isFiltered: boolean;
}

function List({ signoffs, isFiltered }: ListProps): ReactNode {
  return (
    <div className="card">
      <Table
        caption="The latest first"
        label="Sign-offs"
        columns={[
          ...signoffColumns,
          { name: 'Statement', cell: scopeText },
          { name: 'Now', cell: (signoff) => <Now signoff={signoff} /> },
        ]}
        rows={signoffs}
        keyOf={({ id }) => id}
        empty={<Nothing isFiltered={isFiltered} />}
      />
    </div>
  );
}

function Nothing({ isFiltered }: Pick<ListProps, 'isFiltered'>): ReactNode {
  return isFiltered ? (
    <p>
      No sign-off is like this. <Link href="/signoffs">Show all</Link>
    </p>
  ) : (
    <p>
      Nobody has signed a statement. Read the <Link href="/">statement</Link> up to the last day of the month,
      and sign it beneath its figures.
    </p>
  );
}

/** More figures than these are on the page of the sign-off. */
const NAMED = 3;

function Now({ signoff }: { readonly signoff: Signoff }): ReactNode {
  const { changes, changes_total: total, platforms, withdrawn } = signoff;
  const named = changes.slice(0, NAMED);
  return (
    <>
      <StatusMark status={standingOf(signoff)} />
      {withdrawn !== null && (
        <p className="quiet name">
          by <bdi>{withdrawn.by}</bdi>, <Instant at={withdrawn.at} />: <bdi>{withdrawn.reason}</bdi>
        </p>
      )}
      {named.length > 0 && (
        <ul className="quiet">
          {named.map((change) => (
            <li key={keyOfFigure(change)}>
              {typeWords[change.entity_type]}, {figureWords(change, platforms)}:{' '}
              <FigureValue of={change.before} /> → <FigureValue of={change.after} />
            </li>
          ))}
          {total > named.length && (
            <li>
              <Link href={signoffHref(signoff)}>and {countText(total - named.length)} more</Link>
            </li>
          )}
        </ul>
      )}
    </>
  );
}
