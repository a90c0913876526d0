import type { Decided } from '../data/decisions';
import { decisionWords } from '../parts/words/decision-words';

/** The decision that this person made last, so that it can be undone. */
export interface LastDecision {
  /** Of the decision, and behind it of those that were made with it; none where the service named none. */
  readonly ids: readonly string[];
  readonly words: string;
  readonly label: string;
  readonly caseId: string;
  /** Of its case. */
  readonly href: string;
  /** Cases of the list after it; undefined until they are known, null where they could not be read. */
  readonly left?: number | null;
}

/** The IDs and the words of decisions that were made together: `Linked, 2 ruled out`. */
export function decisionsMade([first, ...others]: readonly Decided[]): Pick<LastDecision, 'ids' | 'words'> {
  const ruledOut = others.length === 0 ? [] : [`${others.length} ruled out`];
  return {
    ids: [first, ...others].flatMap((one) => one?.id ?? []),
    words: [...(first === undefined ? [] : [decisionWords(first.decision)]), ...ruledOut].join(', '),
  };
}
