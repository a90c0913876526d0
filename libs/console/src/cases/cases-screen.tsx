import { useRef, useState, type ReactNode } from 'react';
import { Link } from 'wouter';
import { useApi } from '../data/api';
import { caseQueryOf, isFiltered, membersOf, type CaseQuery } from '../data/case-query';
import { casesKey, readCases, type Case, type CasesPage } from '../data/cases';
import { usePages, type Pages } from '../data/pages';
import { useMay } from '../data/queries';
import { hrefOf, useQueryMembers } from '../location';
import { announce } from '../parts/announcer';
import { CsvButton } from '../parts/csv-button';
import { CaseReview } from '../parts/dialogs/case-review';
import { followFocus } from '../parts/dialogs/follow-focus';
import { focusOf, LetterSwitch, onLetter, SlashHint, useLetters } from '../parts/letter-keys';
import { Loaded } from '../parts/loaded';
import { countText } from '../parts/values/money-text';
import { kindWords } from '../parts/words/case-words';
import { Page } from '../parts/page';
import { SkipLink } from '../parts/skip-link';
import { Pager } from '../parts/tables/pager';
import { CasesTable } from './cases-table';
import { MOST, renewed, toggled, type Choice } from './choice';
import { Facets } from './facets';
import { FindRecord } from './find-record';
import { ListScope } from './list-scope';
import { onArrow } from './row-keys';

/** Which records make up a number: the differences behind the statement, to be worked off. */
export default function CasesScreen(): ReactNode {
  const api = useApi();
  const query = caseQueryOf(useQueryMembers());
  const field = useRef<HTMLInputElement>(null);
  const [hasLetters, setLetters] = useLetters();
  const pages = usePages<Case, CasesPage>(casesKey(query), (cursor, signal) =>
    readCases(api, query, cursor, signal),
  );
  const shown = pages.query.data;
  const total = shown?.facets.total;
  // While another list is read, the one before shows, and is counted.
  const listed = shown?.query ?? query;
  // What is chosen belongs to the list: another list begins without. It outlives a page of it that cannot be read.
  const [chosen, setChosen] = useState<Chosen>({ list: '', choice: new Map() });
  const list = shown === undefined ? chosen.list : JSON.stringify(shown.query);
  if (list !== chosen.list) setChosen({ list, choice: new Map() });
  return (
    <div
      className="contents"
      onKeyDown={(event) => {
        if (hasLetters) onLetter(event, { '/': focusOf(field.current) });
      }}
    >
      <Page
        title="Cases"
        actions={
          <>
            <FindRecord field={field} />
            <CsvButton
              words={total === undefined ? 'CSV' : `CSV of these ${countText(total)}`}
              read={() => api.casesCsv(listed)}
              name="cases"
              day={listed.as_of}
            />
          </>
        }
      >
        {shown !== undefined && <SkipLink to="list">Skip to the list</SkipLink>}
        <ListScope query={query} />
        <Loaded query={pages.query} what="the cases" rows={10}>
          {(page) => (
            <div className="beside">
              <Facets query={query} facets={page.facets} rows={page.data} />
              <List
                key={list}
                page={page}
                pages={pages}
                choice={chosen.choice}
                onChoice={(change) => setChosen(({ choice }) => ({ list, choice: change(choice) }))}
                hasLetters={hasLetters}
                onLetters={setLetters}
              />
            </div>
          )}
        </Loaded>
      </Page>
    </div>
  );
}

interface Chosen {
  /** The query of the list, as text. */
  readonly list: string;
  readonly choice: Choice;
}

interface ListProps {
  readonly page: CasesPage;
  readonly pages: Pages<Case, CasesPage>;
  readonly choice: Choice;
  readonly onChoice: (change: (before: Choice) => Choice) => void;
  /** Whether letters act on this screen. */
  readonly hasLetters: boolean;
  readonly onLetters: (isOn: boolean) => void;
}

const orders = {
  age: 'oldest first',
  amount: 'largest difference first',
  type: 'by type',
  closed: 'closed last first',
};

const FULL = `No more than ${MOST} can be changed at once.`;

function List({ page, pages, choice, onChoice, hasLetters, onLetters }: ListProps): ReactNode {
  const { query } = page;
  // A list of an earlier time shows what was, not what can be changed now.
  const mayReview = useMay('decide') && query.as_of === undefined && query.state !== 'closed';
  const { total } = page.facets;
  const order = orders[query.sort ?? 'age'];
  const last = pages.firstRow + page.data.length - 1;
  const isFull = choice.size === MOST;
  return (
    <div className="card" id="list" tabIndex={-1} onKeyDown={onArrow}>
      {mayReview && choice.size > 0 && (
        <div className="note chosen">
          <strong>{countText(choice.size)} chosen</strong>
          {isFull && <span>{FULL}</span>}
          <CaseReview cases={renewed(choice, page.data)} onDone={() => onChoice(() => new Map())} />
          <button
            type="button"
            onClick={() => {
              followFocus();
              onChoice(() => new Map());
            }}
          >
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
            toggle: (one: Case) => {
              if (isFull && !choice.has(one.id)) announce(FULL);
              onChoice((before) => toggled(before, one));
            },
          },
        })}
      />
      <Pager what="cases" steps={pages}>
        {page.data.length === 0 ? 'None' : `${countText(pages.firstRow)}–${countText(last)}`} of{' '}
        {countText(total)}
      </Pager>
      {isOpenList(query) && (
        <p className="quiet">
          The figures of the statement include accepted differences, which are in a list of their own:{' '}
          <Link href={hrefOf('/cases', membersOf(query, { state: 'accepted' }))}>
            Those that are accepted
          </Link>
        </p>
      )}
      {query.kind === 'disagreement' && (
        <p className="quiet">
          Objects also differ where their records belong to two projects, or have amounts without a rate:{' '}
          <OfKind query={query} kind="other_project" />, <OfKind query={query} kind="not_comparable" />
        </p>
      )}
      <p className="quiet row-keys">
        {page.data.length > 0 && (
          <>
            In the list: <kbd>↑</kbd> <kbd>↓</kbd> from case to case, <kbd>Enter</kbd> opens.{' '}
          </>
        )}
        <SlashHint /> <LetterSwitch isOn={hasLetters} onChange={onLetters} />
      </p>
    </div>
  );
}

/** The same list, of cases of another kind: an object that differs may have cases of several. */
function OfKind({
  query,
  kind,
}: Required<Pick<CaseQuery, 'kind'>> & { readonly query: CaseQuery }): ReactNode {
  return <Link href={hrefOf('/cases', membersOf(query, { kind, field: undefined }))}>{kindWords[kind]}</Link>;
}

/** Whether a list has open cases alone. */
function isOpenList({ state = 'open' }: CaseQuery): boolean {
  return state === 'open';
}

function Nothing({ query }: { readonly query: CaseQuery }): ReactNode {
  if (isFiltered(query)) {
    return (
      <p>
        {isOpenList(query) ? 'No open case is like this.' : 'No case is like this.'}{' '}
        <Link href="/cases">Show all open cases</Link>
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
