import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useImperativeHandle, useRef, useState, type ReactNode, type Ref } from 'react';
import { useApi } from '../data/api';
import type { CaseDetail } from '../data/cases';
import { announce } from '../parts/announcer';
import { WhyFields, type Why } from '../parts/dialogs/why-fields';
import type { Decided, Decision, RecordName } from '../data/decisions';
import { AskedDialog, isConflict, type Failure } from './asked-dialog';
import { otherCandidates, type Pair } from './pair';
import { known, type ChosenRecord, type KnownRecord } from './record-facts';
import { RecordPair } from './record-text';

/** What letters reach. */
export interface DecisionActs {
  readonly link: () => void;
  readonly part: () => void;
}

interface DecisionFormProps {
  readonly ref: Ref<DecisionActs>;
  readonly one: CaseDetail;
  /** Undefined until a record is chosen. */
  readonly pair: Pair | undefined;
  /** The record that the person has chosen, which may be none of the case. */
  readonly chosen: ChosenRecord | undefined;
  /** What the person writes. It outlives the form, which goes when another person closes the case. */
  readonly why: Why;
  /** With the reason of a refusal; with undefined when another attempt begins. */
  readonly onRefused: (failure: Failure | undefined) => void;
  /** With the decision, and behind it those that were made with it. */
  readonly onDecided: (results: readonly Decided[]) => void;
  /** With the decisions of a dialog that were made before one failed. */
  readonly onPartlyDecided: (results: readonly Decided[]) => void;
  readonly onLeave: () => void;
}

const CHOOSE_FIRST = 'Choose a record first.';

/** What the person is about to confirm. The case may be read again meanwhile: what is sent is what was tried. */
interface Asked {
  readonly body: Decision;
  readonly tried: Decided;
  /** The two records, as the person saw them when they asked. */
  readonly records: readonly KnownRecord[];
  readonly others: readonly KnownRecord[];
}

/**
 * A decision about one pair: its reason and its person, a dry run, then the dialog that sends what was tried. The form goes with
 * the case when that closes, and a dialog stays.
 */
export function DecisionForm({
  ref,
  one,
  pair,
  chosen,
  why,
  onRefused,
  onDecided,
  onPartlyDecided,
  onLeave,
}: DecisionFormProps): ReactNode {
  const api = useApi();
  const queries = useQueryClient();
  const form = useRef<HTMLFormElement>(null);
  const [asked, setAsked] = useState<Asked>();
  const [lacksRecord, setLacksRecord] = useState(false);
  const isClosed = one.state === 'closed';
  const withFacts = (record: RecordName): KnownRecord => known(one, record, chosen);

  const close = (made: readonly Decided[]): void => {
    setAsked(undefined);
    if (made.length > 0) onPartlyDecided(made);
  };
  const failed = (failure: Failure): void => {
    onRefused(failure);
    // What another person has decided may have closed the case.
    if (isConflict(failure.error)) void queries.invalidateQueries({ queryKey: ['case', one.id] });
  };
  const tryOut = useMutation({
    mutationFn: (body: Decision) => api.decide({ ...body, dry_run: true }),
    onMutate: () => onRefused(undefined),
    onSuccess: (tried, body) => {
      const others = body.decision === 'link' ? otherCandidates(one, body.records) : [];
      setAsked({ body, tried, records: body.records.map(withFacts), others: others.map(withFacts) });
    },
    onError: (error, { records }) => failed({ error, records, made: [] }),
  });
  const decide = (decision: Decision['decision']): void => {
    if (pair === undefined) {
      announce(CHOOSE_FIRST);
      setLacksRecord(true);
      return;
    }
    if (isClosed || tryOut.isPending || form.current?.reportValidity() === false) return;
    const body = {
      decision,
      entity_type: one.entity_type,
      records: [...pair.records],
      ...why.members,
    };
    tryOut.mutate(body);
  };
  const link = (): void => {
    if (pair?.isLinked !== true) decide('link');
  };
  const part = (): void => decide('not_same');
  useImperativeHandle(ref, () => ({ link, part }));

  return (
    <>
      {!isClosed && (
        <form ref={form} className="card" aria-label="Decision" onSubmit={(event) => event.preventDefault()}>
          <h3>{pair === undefined ? 'Choose a record, then decide' : 'Decide about these two'}</h3>
          {pair !== undefined && <RecordPair of={pair.records.map(withFacts)} />}
          <WhyFields why={why} />
          <div className="actions">
            {pair?.isLinked !== true && (
              <button type="button" className="primary" disabled={pair === undefined} onClick={link}>
                Link … <kbd>L</kbd>
              </button>
            )}
            <button type="button" disabled={pair === undefined} onClick={part}>
              {pair?.isLinked === true ? 'Not the same: part them …' : 'Not the same …'} <kbd>N</kbd>
            </button>
            <button type="button" onClick={onLeave}>
              Leave open <kbd>S</kbd>
            </button>
            {lacksRecord && pair === undefined && <span>{CHOOSE_FIRST}</span>}
            {tryOut.isPending && <span>Trying what it will change …</span>}
          </div>
        </form>
      )}
      {asked !== undefined && (
        <AskedDialog
          {...asked}
          isClosed={isClosed}
          onFailed={failed}
          onDecided={(results) => {
            setAsked(undefined);
            why.setReason('');
            onDecided(results);
          }}
          onClose={close}
        />
      )}
    </>
  );
}
