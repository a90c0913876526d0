import { useEffect, useRef, useState, type ReactNode, type Ref } from 'react';
import type { CaseDetail } from '../data/cases';
import { useMay } from '../data/queries';
import { CaseReview } from '../parts/dialogs/case-review';
import { caseName } from '../parts/words/case-words';
import { nameOf } from '../parts/words/decision-words';
import { useKeptWhy } from '../parts/dialogs/why-fields';
import type { Failure } from './asked-dialog';
import { Candidates } from './candidates';
import { CandidatesCompared } from './candidates-compared';
import { CaseFacts } from './case-facts';
import { CaseHistory } from './case-history';
import { Compared } from './compared';
import { Conflict } from './conflict';
import { DecisionForm, type DecisionActs } from './decision-form';
import { FindRecord } from './find-record';
import type { Decided } from '../data/decisions';
import { ObjectNow } from './object-now';
import { pairOf } from './pair';
import type { ChosenRecord } from './record-facts';
import { WhyNotLinked } from './why-not-linked';
import { WrittenReason } from './written-reason';

interface CaseViewProps {
  readonly one: CaseDetail;
  /** Whether the person came from another case: then the heading takes the focus. */
  readonly takesFocus: boolean;
  readonly acts: Ref<DecisionActs>;
  /** The field in which a record is looked for, where there is one. */
  readonly search: Ref<HTMLInputElement>;
  /** The record that the person looks at, beside that of the case. */
  readonly chosen: ChosenRecord | undefined;
  readonly onChoose: (record: ChosenRecord) => void;
  readonly onDecided: (results: readonly Decided[]) => void;
  readonly onPartlyDecided: (results: readonly Decided[]) => void;
  readonly onLeave: () => void;
  readonly onWithdrawn: () => void;
}

/** A case: its records side by side, the candidates, why they are not linked, and the decision. */
export function CaseView(props: CaseViewProps): ReactNode {
  const {
    one,
    takesFocus,
    acts,
    search,
    chosen,
    onChoose,
    onDecided,
    onPartlyDecided,
    onLeave,
    onWithdrawn,
  } = props;
  const heading = useRef<HTMLHeadingElement>(null);
  const [focusesAtFirst] = useState(takesFocus);
  useEffect(() => {
    if (focusesAtFirst) heading.current?.focus();
  }, [focusesAtFirst]);
  // It stays when the decision of another person has closed the case.
  const [refused, setRefused] = useState<Failure>();
  const why = useKeptWhy(one.id);
  const isClosed = one.state === 'closed';
  const mayDecide = useMay('decide');
  const [own] = one.records;
  const pair = pairOf(one, chosen);
  return (
    <>
      <h2 ref={heading} tabIndex={-1} className="text">
        {caseName(one)}
      </h2>
      <CaseFacts one={one} />
      <div className="workbench">
        <div>
          {mayDecide && !isClosed && one.kind === 'only_on' && pair?.isLinked !== true && (
            <FindRecord
              one={one}
              platform={one.missing_on}
              field={search}
              chosen={chosen}
              onChoose={onChoose}
            />
          )}
          {isClosed ? (
            <ObjectNow one={one} />
          ) : own !== undefined && one.candidates.length > 0 ? (
            <CandidatesCompared own={own} candidates={one.candidates} chosen={chosen} />
          ) : (
            <section className="card" aria-label="What was compared">
              <Compared
                fields={one.compared}
                sides={one.records.map((record) => ({ platform: record.platform, name: nameOf(record) }))}
              />
            </section>
          )}
          <WhyNotLinked one={one} chosen={isClosed ? undefined : chosen} onWithdrawn={onWithdrawn} />
        </div>
        <div>
          {!isClosed && one.candidates.length > 0 && (
            <Candidates candidates={one.candidates} chosen={chosen} onChoose={onChoose} />
          )}
          {refused !== undefined && (
            <Conflict
              failure={refused}
              type={one.entity_type}
              onWithdrawn={() => {
                setRefused(undefined);
                onWithdrawn();
              }}
            />
          )}
          {isClosed && why.reason !== '' && <WrittenReason reason={why.reason} />}
          {mayDecide && (
            <>
              <DecisionForm
                ref={acts}
                one={one}
                pair={pair}
                chosen={chosen}
                why={why}
                onRefused={setRefused}
                onDecided={onDecided}
                onPartlyDecided={onPartlyDecided}
                onLeave={onLeave}
              />
              <CaseReview cases={[one]} />
            </>
          )}
          <CaseHistory events={one.history} />
        </div>
      </div>
    </>
  );
}
