import { useMutation } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { Link } from 'wouter';
import { useApi } from '../data/api';
import { caseQueryOf, isFiltered, type CaseQuery } from '../data/case-query';
import { casesKey, readCases, type Case, type CasesPage } from '../data/cases';
import { usePages, type Pages } from '../data/pages';
import { useMay } from '../data/queries';
import { useQueryMembers } from '../location';
import { announce } from '../parts/announcer';
import { CaseReview } from '../parts/dialogs/case-review';
import { download } from '../parts/download';
import { ErrorNote } from '../parts/error-note';
import { Loaded } from '../parts/loaded';
import { countText } from '../parts/values/money-text';
import { Page } from '../parts/page';
import { Pager } from '../parts/tables/pager';
import { CasesTable } from './cases-table';
import { renewed, toggled, type Choice } from './choice';
import { Facets } from './facets';
import { ListScope } from './list-scope';

/** Which records make up a number: the differences behind the statement, to be worked off. */
export default function CasesScreen(): ReactNode {
  const api = useApi();
  const query = caseQueryOf(useQueryMembers());
  const pages = usePages<Case, CasesPage>(casesKey(query), (cursor, signal) =>
    readCases(api, query, cursor, signal),
  );
  return (
    <Page title="Cases" actions={<CsvOf query={query} total={pages.query.data?.facets.total} />}>
      <ListScope query={query} />
      <Loaded query={pages.query} what="the cases" rows={10}>
        {(page) => (
          <div className="beside">
            <Facets query={query} facets={page.facets} rows={page.data} />
            {/* What is chosen belongs to the list: another list begins without. */}
            <List key={JSON.stringify(page.query)} page={page} pages={pages} />
          </div>
        )}
      </Loaded>
    </Page>
  );
}

interface ListProps {
  readonly page: CasesPage;
  readonly pages: Pages<Case, CasesPage>;
}

const orders = {
  age: 'oldest first',
  amount: 'largest difference first',
  type: 'by type',
  closed: 'closed last first',
};

function List({ page, pages }: ListProps): ReactNode {
  const { query } = page;
  const [choice, setChoice] = useState<Choice>(new Map());
  // A list of an earlier time shows what was, not what can be changed now.
  const mayReview = useMay('decide') && query.as_of === undefined && query.state !== 'closed';
  const { total } = page.facets;
  const order = orders[query.sort ?? 'age'];
  const last = pages.firstRow + page.data.length - 1;
  return (
    <div>
      {mayReview && choice.size > 0 && (
        <div className="note chosen">
          <strong>{countText(choice.size)} chosen</strong>
          <CaseReview cases={renewed(choice, page.data)} onDone={() => setChoice(new Map())} />
          <button type="button" onClick={() => setChoice(new Map())}>
            Choose none
          </button>
        </div>
      )}
      <CasesTable
        caption={`${countText(total)} ${total === 1 ? 'case' : 'cases'}, ${order}`}
        rows={page.data}
        query={query}
        cursor={page.cursor}
        empty={<Nothing query={query} />}
        {...(mayReview && {
          choice: {
            has: (id: string) => choice.has(id),
            toggle: (one: Case) => setChoice((before) => toggled(before, one)),
          },
        })}
      />
      <Pager what="cases" previous={pages.previous} next={pages.next}>
        {page.data.length === 0 ? 'None' : `${countText(pages.firstRow)}–${countText(last)}`} of{' '}
        {countText(total)}
      </Pager>
    </div>
  );
}

function Nothing({ query }: { readonly query: CaseQuery }): ReactNode {
  if (isFiltered(query)) {
    return (
      <p>
        No case is like this. <Link href="/cases">Show all open cases</Link>
      </p>
    );
  }
  return (
    <p>
      No case is open: everything that was compared agrees or is accepted. The <Link href="/">statement</Link>{' '}
      says whether everything was compared.
    </p>
  );
}

function CsvOf({
  query,
  total,
}: {
  readonly query: CaseQuery;
  readonly total: number | undefined;
}): ReactNode {
  const api = useApi();
  const file = useMutation({
    mutationFn: () => api.casesCsv(query),
    onSuccess: (text) => {
      download(
        `cases-${(query.as_of ?? new Date().toISOString()).slice(0, 10)}.csv`,
        text,
        'text/csv;charset=utf-8',
      );
      announce('The file is with your downloads.');
    },
  });
  return (
    <>
      <button type="button" disabled={file.isPending} onClick={() => file.mutate()}>
        {file.isPending ? 'Reading …' : total === undefined ? 'CSV' : `CSV of these ${countText(total)}`}
      </button>
      {file.error !== null && <ErrorNote error={file.error} retry={() => file.mutate()} />}
    </>
  );
}
