import type { ReactNode } from 'react';
import { Money } from './money';
import { isAmount } from './money-text';

/** The value of a field: an amount as one, text as it is, whatever has parts as JSON. Hostile text stays text. */
export function FieldValue({ of }: { readonly of: unknown }): ReactNode {
  if (of === null || of === undefined) return '–';
  if (isAmount(of)) return <Money of={of} />;
  if (of === '') return <span className="quiet">empty</span>;
  const text = typeof of === 'string' ? of : JSON.stringify(of);
  return <span className="text">{text}</span>;
}
