import type { ReactNode } from 'react';
import type { Case } from '../../data/cases';
import type { Platform } from '../../data/queries';
import { FieldValue } from './field-value';
import { Money } from './money';

interface CaseSideProps {
  readonly one: Case;
  readonly platform: Platform;
}

/** What a platform says in a case: of a disagreement the field that differs, else the amount. */
export function CaseSide({ one, platform }: CaseSideProps): ReactNode {
  const value = 'values' in one ? one.values?.[platform] : undefined;
  if (value !== undefined && one.field !== 'amount') return <FieldValue of={value.canonical} />;
  const amount = one.amounts[platform];
  if (amount !== undefined && amount !== null) return <Money of={amount.native} />;
  const has = one.records.some((record) => record.platform === platform);
  return has ? <span className="quiet">no amount</span> : '–';
}
