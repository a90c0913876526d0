import { ApiError } from '@app/client';
import { useQueryClient } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { useApi } from '../../data/api';
import type { Case } from '../../data/cases';
import { readAgainAfterReview } from '../../data/read-again';
import { ClosedMeanwhile } from './closed-meanwhile';
import { Confirm, type Sending } from './confirm';
import { ChangedCases, type ChangedCase } from '../tables/changed-cases';
import { countText } from '../values/money-text';
import { TextField } from './text-field';
import { useWhy, WhyFields } from './why-fields';

type Act = 'owner' | 'accept' | 'take-back' | 'note';

interface CaseReviewProps {
  /** The cases that the person chose, by their IDs: all of them are changed, or none. */
  readonly cases: readonly Case[];
  readonly onDone?: () => void;
}

/**
 * Who works on cases, whether their differences may stay, and notes about one. Every act is confirmed. Closed cases are not
 * offered any, but a dialog that is open stays.
 */
export function CaseReview({ cases, onDone }: CaseReviewProps): ReactNode {
  const [act, setAct] = useState<Act>();
  const has = (state: Case['state']): boolean => cases.some((one) => one.state === state);
  const isClosed = areClosed(cases);
  const close = (): void => setAct(undefined);
  const offers: readonly (readonly [Act, string, boolean])[] = [
    ['owner', 'Assign …', !isClosed],
    ['accept', 'Accept …', has('open')],
    ['take-back', 'Take acceptance back …', has('accepted')],
    ['note', 'Add a note …', cases.length === 1 && !isClosed],
  ];
  return (
    <div className="actions">
      {offers.map(([name, words, isOffered]) =>
        isOffered ? (
          <button key={name} type="button" onClick={() => setAct(name)}>
            {words}
          </button>
        ) : null,
      )}
      {act !== undefined && (
        <ReviewDialog
          act={act}
          cases={cases}
          onClose={close}
          onDone={() => {
            close();
            onDone?.();
          }}
        />
      )}
    </div>
  );
}

const titles: Readonly<Record<Act, readonly [question: string, act: string]>> = {
  owner: ['Who works on it?', 'Assign'],
  accept: ['Accept the difference?', 'Accept'],
  'take-back': ['Take the acceptance back?', 'Take it back'],
  note: ['Add a note', 'Add it'],
};

interface ReviewDialogProps {
  readonly act: Act;
  readonly cases: readonly Case[];
  readonly onClose: () => void;
  readonly onDone: () => void;
}

function ReviewDialog({ act, cases, onClose, onDone }: ReviewDialogProps): ReactNode {
  const api = useApi();
  const queries = useQueryClient();
  const why = useWhy();
  const [owner, setOwner] = useState(cases.length === 1 ? (cases[0]?.owner ?? '') : '');
  const [until, setUntil] = useState('');
  // The cases may be read again behind the dialog: what is accepted is what the person saw before it, or sees in it.
  const [looked, setLooked] = useState(cases);
  const [changed, setChanged] = useState<readonly ChangedCase[]>([]);
  const [title, button] = titles[act];
  const many = `${countText(cases.length)} ${cases.length === 1 ? 'case' : 'cases'}`;

  const lookAgain = async (ids: readonly string[]): Promise<void> => {
    const read = new Map<string, Case>();
    // One after the other: of many at once the service would refuse some.
    for (const id of ids) read.set(id, await api.case(id));
    const pairs = looked.map((before) => ({ before, now: read.get(before.id) ?? before }));
    setChanged(pairs.filter(({ before, now }) => now !== before));
    setLooked(pairs.map(({ now }) => now));
  };
  const send = async ({ idempotencyKey }: Sending): Promise<void> => {
    if (act === 'note') {
      const [one] = cases;
      if (one !== undefined)
        await api.addNote(
          one.id,
          { text: why.members.reason, written_by: why.members.decided_by },
          { idempotencyKey },
        );
      return;
    }
    const ids = looked.map(({ id }) => id);
    if (act !== 'accept') {
      const review =
        act === 'owner' ? { owner: owner.trim() === '' ? null : owner.trim() } : { accepted: null };
      await api.reviewAll({ ids, ...review }, { idempotencyKey });
      return;
    }
    const accepted = { ...why.members, ...(until !== '' && { until }) };
    // A case that is shown without a version is accepted only after another look.
    const versions = looked.map(({ version }) => version ?? '');
    try {
      await api.reviewAll({ ids, versions, accepted }, { idempotencyKey });
    } catch (error) {
      // Without an answer the same versions are sent and refused again.
      if (error instanceof ApiError && error.cases.length > 0)
        await lookAgain(error.cases).catch(() => undefined);
      throw error;
    }
  };
  const said: Readonly<Record<Act, string>> = {
    owner: owner.trim() === '' ? `${many} assigned to nobody.` : `${many} assigned to ${owner.trim()}.`,
    accept: `${many} accepted.`,
    'take-back': `The acceptance of ${many} was taken back.`,
    note: 'The note was added.',
  };

  return (
    <Confirm
      title={title}
      act={`${button}${cases.length > 1 ? ` (${many})` : ''}`}
      send={send}
      done={() => said[act]}
      onDone={() => {
        void readAgainAfterReview(queries);
        onDone();
      }}
      onClose={() => {
        if (changed.length > 0) void readAgainAfterReview(queries);
        onClose();
      }}
    >
      {areClosed(cases) && <ClosedMeanwhile />}
      <Chosen cases={cases} />
      {changed.length > 0 && <ChangedCases changed={changed} />}
      {act === 'owner' && <TextField label="Owner" value={owner} onChange={setOwner} hint="Empty: nobody." />}
      {act === 'accept' && (
        <>
          <p>
            The difference stays in its line of the statement, as accepted. It is open again as soon as a
            value of either side changes.
          </p>
          <WhyFields why={why} />
          <TextField
            label="Until"
            type="date"
            value={until}
            onChange={setUntil}
            hint="Open again after this day; empty: no end."
          />
        </>
      )}
      {act === 'note' && (
        <>
          <TextField label="Note" value={why.reason} onChange={why.setReason} maxLength={2000} required />
          <TextField label="Written by" value={why.person} onChange={why.setPerson} required />
        </>
      )}
    </Confirm>
  );
}

function areClosed(cases: readonly Case[]): boolean {
  return cases.every(({ state }) => state === 'closed');
}

/** More names than these would not be read. */
const NAMED = 10;

function Chosen({ cases }: { readonly cases: readonly Case[] }): ReactNode {
  return (
    <>
      <ul>
        {cases.slice(0, NAMED).map(({ id, label }) => (
          <li key={id} className="text">
            {label ?? id}
          </li>
        ))}
      </ul>
      {cases.length > NAMED && (
        <p>and {countText(cases.length - NAMED)} more that you chose. All are changed, or none.</p>
      )}
    </>
  );
}
