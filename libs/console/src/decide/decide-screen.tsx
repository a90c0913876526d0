import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useRef, useState, type ReactNode } from 'react';
import { Link, useParams } from 'wouter';
import { useApi } from '../data/api';
import { caseQueryOf, membersOf, type CaseQuery } from '../data/case-query';
import { caseHref, casesKey, readCases, type Case } from '../data/cases';
import type { Decided, RecordName } from '../data/decisions';
import { keptAs, useKept } from '../data/kept';
import { useMay } from '../data/queries';
import { readAgainAfterDecision } from '../data/read-again';
import { hrefOf, navigate, useQueryMembers } from '../location';
import { announce } from '../parts/announcer';
import { ErrorNote } from '../parts/error-note';
import { focusHeading } from '../parts/focus-heading';
import { focusOf, LetterSwitch, onLetter, useLetters } from '../parts/letter-keys';
import { Loaded } from '../parts/loaded';
import { Page } from '../parts/page';
import { Instant } from '../parts/values/instant';
import { CaseView } from './case-view';
import type { DecisionActs } from './decision-form';
import { leftAfter, openAgain } from './follow';
import { letters } from './letters';
import { before, behind, placeWords } from './queue';
import { decisionsMade, type LastDecision } from './last-decision';
import type { ChosenRecord } from './record-facts';
import { Undo } from './undo';

/** The name under which the last decision is kept. */
const LAST_DECISION = 'last decision';

const END_OF_LIST = 'That was the last case of the list.';

/** Whether two records are one: case after case of the list that the address names. */
export default function DecideScreen(): ReactNode {
  const { id } = useParams<{ id: string }>();
  const members = useQueryMembers();
  const query = caseQueryOf(members);
  const cursor = members.get('page') ?? undefined;
  const api = useApi();
  const queries = useQueryClient();
  const readPage = (at: string | undefined) => ({
    queryKey: [...casesKey(query), at],
    queryFn: ({ signal }: { readonly signal: AbortSignal }) => readCases(api, query, at, signal),
  });
  const queue = useQuery(readPage(cursor));
  const one = useQuery({ queryKey: ['case', id], queryFn: ({ signal }) => api.case(id, { signal }) });
  const acts = useRef<DecisionActs>(null);
  const search = useRef<HTMLInputElement>(null);
  const mayDecide = useMay('decide');
  const [hasMoved, setMoved] = useState(false);
  const [chosen, setChosen] = useState<{ readonly id: string; readonly record: ChosenRecord }>();
  const [last, setLast] = useKept<LastDecision | undefined>(LAST_DECISION, undefined);
  const [hasLetters, setLetters] = useLetters();
  const [showsLetters, setShowsLetters] = useState(false);
  const [undoes, setUndoes] = useState(false);
  const [failure, setFailure] = useState<unknown>();
  // The case behind which the list has no other.
  const [lastCase, setLastCase] = useState<string>();

  const rows = queue.data?.data ?? [];
  const candidates = one.data?.candidates ?? [];
  const own = chosen?.id === id ? chosen.record : undefined;
  // With one candidate there is no choice to make.
  const record = own ?? (candidates.length === 1 ? candidates[0] : undefined);
  const choose = (next: ChosenRecord | undefined): void => {
    if (next !== undefined) setChosen({ id, record: next });
  };

  const place = location.hash;
  const open = (href: string): void => {
    // A write may be answered, or a page may come, when the person has gone elsewhere.
    if (location.hash !== place) return;
    setMoved(true);
    setLastCase(undefined);
    navigate(href);
  };
  const show = (next: Case, at = cursor): void => open(caseHref(next.id, query, at));
  const goOnNow = async (decided: readonly RecordName[] = []): Promise<void> => {
    if (queue.data === undefined) return; // The list is being read, or could not be: it says so itself.
    const next = behind(rows, id, decided);
    if (next !== undefined) return show(next);
    const further = queue.data.next_cursor ?? undefined;
    const behindThese = further === undefined ? [] : (await queries.fetchQuery(readPage(further))).data;
    const first = behind(behindThese, id, decided);
    if (first !== undefined) return show(first, further);
    if (location.hash !== place) return;
    announce(END_OF_LIST);
    setLastCase(id);
    focusHeading();
  };
  const goOn = async (decided: readonly RecordName[] = []): Promise<void> => {
    setFailure(undefined);
    setLastCase(undefined);
    await goOnNow(decided).catch(setFailure);
  };
  const goBack = before(rows, id);

  const renew = (): void => void readAgainAfterDecision(queries);
  /** Offers to undo what was decided, and says how many cases are left once the way to the next one is done. */
  const offerUndo = (results: readonly Decided[], onTheWay: Promise<void> = Promise.resolve()): void => {
    const made = {
      ...decisionsMade(results),
      label: one.data?.label ?? id,
      href: caseHref(id, query, cursor),
      caseId: id,
    };
    setLast(made);
    // Counting takes a second or two. Another decision may come first, or this one be undone, also on a screen made anew.
    const isLatest = (): boolean => keptAs<LastDecision>(queries, LAST_DECISION) === made;
    void onTheWay
      .then(() => leftAfter(api, query, id))
      .then((left) => {
        if (!isLatest()) return;
        setLast({ ...made, left });
        announce(`${made.words}. ${left} left.`);
      })
      .catch(() => {
        // The decision stands; only the count could not be read.
        if (isLatest()) setLast({ ...made, left: null });
      })
      .finally(renew);
  };
  const undone = (undoneOne: LastDecision): void => {
    setLast(undefined);
    setUndoes(false);
    open(undoneOne.href);
    focusHeading();
    renewOnceOpen(undoneOne);
  };
  const renewOnceOpen = ({ caseId }: LastDecision): void => {
    void openAgain(api, caseId)
      .catch(() => undefined)
      .finally(renew);
  };

  const byDigit = Object.fromEntries(
    candidates.slice(0, 9).map((each, index) => [String(index + 1), () => choose(each)]),
  );
  const previous = goBack === undefined ? undefined : () => show(goBack);
  return (
    <div
      className="contents"
      onKeyDown={(event) => {
        if (!hasLetters) return;
        onLetter(event, {
          ...byDigit,
          k: previous,
          j: () => void goOn(),
          s: () => void goOn(),
          l: () => acts.current?.link(),
          n: () => acts.current?.part(),
          u: mayDecide && last !== undefined ? () => setUndoes(true) : undefined,
          '/': focusOf(search.current),
          '?': () => setShowsLetters(!showsLetters),
        });
      }}
    >
      <Page title="Decide" actions={<BackToList query={query} />}>
        <div className="actions off-paper">
          <span>
            {queue.data !== undefined && placeWords(rows, id, queue.data.facets.total, cursor === undefined)}
          </span>
          <button type="button" disabled={previous === undefined} onClick={previous}>
            ↑ Before <kbd>K</kbd>
          </button>
          <button type="button" disabled={queue.data === undefined} onClick={() => void goOn()}>
            ↓ Next <kbd>J</kbd>
          </button>
          <LetterSwitch isOn={hasLetters} onChange={setLetters} />
          <button type="button" aria-expanded={showsLetters} onClick={() => setShowsLetters(!showsLetters)}>
            Which keys <kbd>?</kbd>
          </button>
          {lastCase === id && <span>{END_OF_LIST}</span>}
          {mayDecide && last !== undefined && (
            <Undo
              last={last}
              asks={undoes}
              onAsk={() => setUndoes(true)}
              onClose={(ended) => {
                setUndoes(false);
                if (ended.length > 0) renewOnceOpen(last);
              }}
              onDone={() => undone(last)}
            />
          )}
        </div>
        {showsLetters && <Letters />}
        {queue.error !== null && <ErrorNote error={queue.error} retry={() => void queue.refetch()} />}
        {failure !== undefined && <ErrorNote error={failure} retry={() => void goOn()} />}
        {query.as_of !== undefined && (
          <p className="note">
            The list is that of {query.as_of.includes('T') ? <Instant at={query.as_of} /> : query.as_of}. What
            you see and decide here is as it is now.
          </p>
        )}
        <Loaded query={one} what="the case" rows={10}>
          {(data) => (
            <CaseView
              key={data.id}
              one={data}
              takesFocus={hasMoved}
              acts={acts}
              search={search}
              chosen={record}
              onChoose={choose}
              onDecided={(results) => offerUndo(results, goOn(results[0]?.records))}
              onPartlyDecided={(results) => offerUndo(results)}
              onLeave={() => void goOn()}
              onWithdrawn={renew}
            />
          )}
        </Loaded>
      </Page>
    </div>
  );
}

function BackToList({ query }: { readonly query: CaseQuery }): ReactNode {
  return <Link href={hrefOf('/cases', membersOf(query))}>Back to the list</Link>;
}

function Letters(): ReactNode {
  return (
    <dl className="facts">
      {letters.map(([letter, words]) => (
        <div key={letter}>
          <dt>
            <kbd>{letter}</kbd>
          </dt>
          <dd>{words}</dd>
        </div>
      ))}
    </dl>
  );
}
