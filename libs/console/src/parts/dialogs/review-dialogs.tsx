import { ApiError } from '@app/client';
import { useQueryClient } from '@tanstack/react-query';
import { Fragment, useState, type ReactNode } from 'react';
import { useApi } from '../../data/api';
import type { Case } from '../../data/cases';
import { readAgainAfterReview } from '../../data/read-again';
import { ChangedCases, type ChangedCase } from '../tables/changed-cases';
import { Money } from '../values/money';
import { countText } from '../values/money-text';
import { sumsOf } from '../values/sums';
import { whyWords } from '../words/case-words';
import { storedTypes, typeWords } from '../words/type-words';
import { ClosedMeanwhile } from './closed-meanwhile';
import { Confirm, type Sending } from './confirm';
import { TextField } from './text-field';
import { useWhy, WhyFields } from './why-fields';

interface ReviewDialogProps {
  /** The cases that the person chose, always the same. Their values may be read again behind the dialog. */
  readonly cases: readonly Case[];
  readonly onClose: () => void;
  readonly onDone: () => void;
}

/** A dialog that changes the chosen cases, all of them or none. */
export type ReviewDialog = (props: ReviewDialogProps) => ReactNode;

/** Says who works on cases, or that nobody does. */
export function AssignDialog(props: ReviewDialogProps): ReactNode {
  const api = useApi();
  const { cases } = props;
  const [owner, setOwner] = useState(cases.length === 1 ? (cases[0]?.owner ?? '') : '');
  const name = owner.trim();
  return (
    <ReviewConfirm
      {...props}
      title="Who works on it?"
      act="Assign"
      send={({ idempotencyKey }) =>
        api.reviewAll({ ids: idsOf(cases), owner: name === '' ? null : name }, { idempotencyKey })
      }
      done={`${manyOf(cases)} assigned to ${name === '' ? 'nobody' : name}.`}
    >
      <TextField label="Owner" value={owner} onChange={setOwner} hint="Empty: nobody." />
    </ReviewConfirm>
  );
}

/**
 * Accepts the differences of cases as the person saw them. If values have changed since, the service refuses; the dialog then
 * shows the values before and now, and the person may accept these.
 */
export function AcceptDialog(props: ReviewDialogProps): ReactNode {
  const api = useApi();
  const queries = useQueryClient();
  const why = useWhy();
  const [until, setUntil] = useState('');
  // What is accepted is what the person saw before the dialog, or sees in it.
  const [seen, setSeen] = useState(props.cases);
  const [changed, setChanged] = useState<readonly ChangedCase[]>([]);

  const lookAgain = async (ids: readonly string[]): Promise<void> => {
    const read = new Map<string, Case>();
    // One after the other: of many at once the service would refuse some.
    for (const id of ids) read.set(id, await api.case(id));
    const pairs = seen.map((before) => {
      const now = read.get(before.id);
      return { before, now: now === undefined ? before : asInList(now, before) };
    });
    setChanged(pairs.filter(({ before, now }) => now !== before));
    setSeen(pairs.map(({ now }) => now));
  };
  const send = async ({ idempotencyKey }: Sending): Promise<void> => {
    const accepted = { ...why.members, ...(until !== '' && { until }) };
    // A case that is shown without a version is accepted only after another look.
    const versions = seen.map(({ version }) => version ?? '');
    try {
      await api.reviewAll({ ids: idsOf(seen), versions, accepted }, { idempotencyKey });
    } catch (error) {
      // Without an answer the same versions are sent and refused again.
      if (error instanceof ApiError && error.cases.length > 0)
        await lookAgain(error.cases).catch(() => undefined);
      throw error;
    }
  };

  return (
    <ReviewConfirm
      {...props}
      title="Accept the difference?"
      act="Accept"
      send={send}
      done={`${manyOf(props.cases)} accepted.`}
      chosen={<ChosenDifferences cases={seen} />}
      onClose={() => {
        if (changed.length > 0) void readAgainAfterReview(queries);
        props.onClose();
      }}
    >
      {changed.length > 0 && <ChangedCases changed={changed} />}
      <p>
        The difference stays in its line of the statement, as accepted. It is open again as soon as a value of
        either side changes.
      </p>
      <WhyFields why={why} />
      <TextField
        label="Until"
        type="date"
        value={until}
        onChange={setUntil}
        hint="Open again after this day; empty: no end."
      />
    </ReviewConfirm>
  );
}

/** Opens accepted cases again. */
export function TakeBackDialog(props: ReviewDialogProps): ReactNode {
  const api = useApi();
  const { cases } = props;
  return (
    <ReviewConfirm
      {...props}
      title="Take the acceptance back?"
      act="Take it back"
      send={({ idempotencyKey }) => api.reviewAll({ ids: idsOf(cases), accepted: null }, { idempotencyKey })}
      done={`The acceptance of ${manyOf(cases)} was taken back.`}
    />
  );
}

/** Adds a note to one case. */
export function NoteDialog(props: ReviewDialogProps): ReactNode {
  const api = useApi();
  const why = useWhy();
  const send = async ({ idempotencyKey }: Sending): Promise<void> => {
    const [one] = props.cases;
    const note = { text: why.members.reason, written_by: why.members.decided_by };
    if (one !== undefined) await api.addNote(one.id, note, { idempotencyKey });
  };
  return (
    <ReviewConfirm {...props} title="Add a note" act="Add it" send={send} done="The note was added.">
      <TextField label="Note" value={why.reason} onChange={why.setReason} maxLength={2000} required />
      <TextField label="Written by" value={why.person} onChange={why.setPerson} required />
    </ReviewConfirm>
  );
}

interface ReviewConfirmProps extends ReviewDialogProps {
  readonly title: string;
  readonly act: string;
  readonly send: (sending: Sending) => Promise<unknown>;
  /** The sentence that says what happened. */
  readonly done: string;
  /** The cases, where more than their names is to be seen. */
  readonly chosen?: ReactNode;
  readonly children?: ReactNode;
}

/** What all dialogs have in common: they name the cases, and read again what the review has changed. */
function ReviewConfirm(props: ReviewConfirmProps): ReactNode {
  const { cases, act, done, chosen = <Chosen cases={cases} />, onDone, children, ...others } = props;
  const queries = useQueryClient();
  return (
    <Confirm
      {...others}
      act={`${act}${cases.length > 1 ? ` (${manyOf(cases)})` : ''}`}
      done={() => done}
      onDone={() => {
        void readAgainAfterReview(queries);
        onDone();
      }}
    >
      {cases.every(({ state }) => state === 'closed') && <ClosedMeanwhile />}
      {chosen}
      {children}
    </Confirm>
  );
}

function idsOf(cases: readonly Case[]): string[] {
  return cases.map(({ id }) => id);
}

function manyOf({ length }: Pick<readonly Case[], 'length'>): string {
  return `${countText(length)} ${length === 1 ? 'case' : 'cases'}`;
}

/** More names than these would not be read. */
const NAMED = 10;

interface ChosenProps {
  readonly cases: readonly Case[];
  /** What is said of a case behind its name. */
  readonly more?: (one: Case) => ReactNode;
}

function Chosen({ cases, more }: ChosenProps): ReactNode {
  return (
    <>
      <ul>
        {cases.slice(0, NAMED).map((one) => (
          <li key={one.id} className="text">
            <bdi>{one.label ?? one.id}</bdi>
            {more !== undefined && <>: {more(one)}</>}
          </li>
        ))}
      </ul>
      {cases.length > NAMED && (
        <p>and {countText(cases.length - NAMED)} more that you chose. All are changed, or none.</p>
      )}
    </>
  );
}

/** Cases with their differences, and what those of each type come to: a person who accepts them signs for that. */
function ChosenDifferences({ cases }: ChosenProps): ReactNode {
  const inSums = cases.flatMap((one) =>
    one.difference !== null && isOfTotal(one) ? [{ type: one.entity_type, difference: one.difference }] : [],
  );
  const others = cases.length - inSums.length;
  const sums = storedTypes.flatMap((type) => {
    const own = inSums.filter((one) => one.type === type);
    return sumsOf(own.map(({ difference }) => difference)).map((sum) => ({ type, sum }));
  });
  return (
    <>
      <Chosen
        cases={cases}
        more={(one) =>
          one.difference === null ? whyWords(one) : <Money of={one.difference} sign="always" />
        }
      />
      {cases.length > 1 && sums.length > 0 && (
        <p>
          Together:{' '}
          {sums.map(({ type, sum }, place) => (
            <Fragment key={`${type} ${sum.currency}`}>
              {place > 0 && ', '}
              {typeWords[type].toLowerCase()} <Money of={sum} sign="always" />
            </Fragment>
          ))}
          .
          {others > 0 &&
            ` ${manyOf({ length: others })} of these ${others === 1 ? 'is' : 'are'} not in the sums.`}
        </p>
      )}
    </>
  );
}

/** Whether the difference of a case is a part of a total of the statement. Those of taxes and the like are in no line. */
function isOfTotal({ kind, field }: Case): boolean {
  return field === null || field === 'amount' || kind === 'other_project';
}

/**
 * A case that was read again by itself, as the list of the case before would have it: of records of two projects, a list
 * leaves out the differences that are in no line of its statement.
 */
function asInList(now: Case, { kind, difference }: Case): Case {
  const isOfOneRecord = kind === 'only_on' || kind === 'ambiguous';
  return difference === null && !isOfOneRecord ? { ...now, difference } : now;
}
