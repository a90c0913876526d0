import type { ReactNode } from 'react';
import { digitsOf, type Amount } from './money-text';

interface MoneyProps {
  readonly of: Amount;
  /** Whether a positive amount has a plus: for what is added to something. */
  readonly sign?: 'auto' | 'always';
  /** Whether the currency is left out, where a heading names it. */
  readonly bare?: boolean;
}

/** An amount, from its minor units. */
export function Money({ of, sign = 'auto', bare = false }: MoneyProps): ReactNode {
  return (
    <span className="money">
      {digitsOf(of, { sign })}
      {!bare && <span className="currency"> {of.currency}</span>}
    </span>
  );
}
