import type { ReactNode } from 'react';
import { moneyText } from '../../parts/values/money-text';
import type { Footing } from './footing';

interface NotFootingProps {
  readonly footing: Extract<Footing, { readonly foots: false }>;
  readonly currency: string;
}

/** Says that the figures contradict each other. No picture stands beside it. */
export function NotFooting({ footing, currency }: NotFootingProps): ReactNode {
  return (
    <div className="note error" role="alert">
      <p>
        <strong>These figures do not foot.</strong> {sentenceOf(footing, currency)}
      </p>
      <p>Do not rely on them. Read the statement again; if it stays so, tell the operator the request ID.</p>
    </div>
  );
}

function sentenceOf(footing: NotFootingProps['footing'], currency: string): string {
  switch (footing.why) {
    case 'other_sum':
      return `The first sum and the lines come to ${moneyText({ amount: footing.excess, currency })} more than the second sum.`;
    case 'other_currency':
      return 'They are in more than one currency.';
    case 'not_exact':
      return 'One of them is larger than this browser can add exactly.';
  }
}
