import { ApiError } from '@app/client';
import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { useRef, useState, type ReactNode } from 'react';
import { useApi } from '../data/api';
import type { Decided, Decision, RecordName } from '../data/decisions';
import { ClosedMeanwhile } from '../parts/dialogs/closed-meanwhile';
import { Confirm } from '../parts/dialogs/confirm';
import { DecisionEffects } from '../parts/dialogs/decision-effects';
import { Loaded } from '../parts/loaded';
import { decisionWords, nameOf, together, type Effects } from '../parts/words/decision-words';
import type { KnownRecord } from './record-facts';
import { RecordPair, RecordText } from './record-text';

interface AskedDialogProps {
  readonly body: Decision;
  /** What the dry run of the same body has found. */
  readonly tried: Decided;
  /** The two records that it is about. */
  readonly records: readonly KnownRecord[];
  /** Candidates that the decision is not about. They may be ruled out with it. */
  readonly others: readonly KnownRecord[];
  /** Whether the case was closed behind the dialog. */
  readonly isClosed: boolean;
  readonly onFailed: (failure: Failure) => void;
  /** With the decision, and behind it those about the other candidates. */
  readonly onDecided: (results: readonly Decided[]) => void;
  /** With the decisions that were made before the person gave up. */
  readonly onClose: (made: readonly Decided[]) => void;
}

/** Why a decision was not made. */
export interface Failure {
  readonly error: unknown;
  /** The records that it was about. */
  readonly records: readonly RecordName[];
  /** The decisions of the same dialog that were made before it: they stand. */
  readonly made: readonly Decided[];
}

/** Asks before a decision about one pair; after a link, also about the other candidates, where the person wants it. */
export function AskedDialog(props: AskedDialogProps): ReactNode {
  const { body, tried, records, others, isClosed, onFailed, onDecided, onClose } = props;
  const api = useApi();
  const [rejects, setRejects] = useState(false);
  const rejections = rejects ? rejectionsOf(body, others) : [];
  const triedToo = useQuery({
    queryKey: ['rejections', rejections],
    queryFn: async ({ signal }) =>
      together(await Promise.all(rejections.map((one) => api.decide({ ...one, dry_run: true }, { signal })))),
    enabled: rejects,
    staleTime: 0,
    gcTime: 0,
  });
  // By the place of each decision: one that is sent again under its key has the answer that it had.
  const made = useRef<Decided[]>([]);
  return (
    <Confirm
      title={body.decision === 'link' ? 'Link these two records?' : 'These two are not the same?'}
      act={body.decision === 'link' ? 'Link' : 'Not the same'}
      send={async ({ idempotencyKey }) => {
        for (const [place, decision] of [body, ...rejections].entries()) {
          const ownKey = place === 0 ? idempotencyKey : `${idempotencyKey}.${place - 1}`;
          try {
            made.current[place] = await api.decide(decision, { idempotencyKey: ownKey });
          } catch (error) {
            onFailed({ error, records: decision.records, made: made.current });
            throw error;
          }
        }
        return made.current;
      }}
      isShown={!rejects || triedToo.data !== undefined}
      isFinal={isConflict}
      done={() => `${decisionWords(body.decision)}.`}
      onDone={onDecided}
      onClose={() => onClose(made.current)}
    >
      {isClosed && <ClosedMeanwhile />}
      <p>Of type {body.entity_type}:</p>
      <RecordPair of={records} />
      <p className="text">
        Reason: <bdi>{body.reason}</bdi>. Decided by <bdi>{body.decided_by}</bdi>.
      </p>
      <DecisionEffects result={tried} />
      {others.length > 0 && (
        <label className="check">
          <input type="checkbox" checked={rejects} onChange={({ target }) => setRejects(target.checked)} />
          {others.length === 1
            ? 'The other candidate is not the same'
            : `The other ${others.length} candidates are not the same`}
        </label>
      )}
      {rejects && <Rejections body={body} others={others} tried={triedToo} />}
      <p className="quiet">It takes effect at once, and stands until it is withdrawn. No rule undoes it.</p>
    </Confirm>
  );
}

/** Whether another person has decided otherwise meanwhile. */
export function isConflict(error: unknown): boolean {
  return error instanceof ApiError && error.is('CONFLICT_ERROR');
}

/** Decisions of their own: each says of one candidate that it is not the record of the case. */
function rejectionsOf(body: Decision, others: readonly RecordName[]): readonly Decision[] {
  return others.flatMap((other) => {
    const own = ownBeside(other, body);
    return own === undefined
      ? []
      : [{ ...body, decision: 'not_same' as const, records: [own, nameAlone(other)] }];
  });
}

/** The record of a decision that a candidate is not. */
function ownBeside(other: RecordName, { records }: Decision): Decision['records'][number] | undefined {
  return records.find(({ platform }) => platform !== other.platform);
}

function nameAlone({ platform, platform_id }: RecordName): RecordName {
  return { platform, platform_id };
}

interface RejectionsProps {
  /** The decision that they go with. */
  readonly body: Decision;
  /** The candidates that they are about. */
  readonly others: readonly KnownRecord[];
  readonly tried: UseQueryResult<Effects>;
}

function Rejections({ body, others, tried }: RejectionsProps): ReactNode {
  return (
    <>
      <p>With the same reason and name, each a decision of its own that can be withdrawn alone:</p>
      <ul>
        {others.map((other) => {
          const own = ownBeside(other, body);
          return own === undefined ? null : (
            <li key={nameOf(other)} className="text">
              {nameOf(own)} is not <RecordText of={other} />
            </li>
          );
        })}
      </ul>
      <Loaded query={tried} what="what that will do" rows={1}>
        {(result) => <DecisionEffects result={result} />}
      </Loaded>
    </>
  );
}
