import type { ReactNode } from 'react';
import { Money } from '../parts/values/money';
import { nameOf } from '../parts/words/decision-words';
import type { KnownRecord } from './record-facts';

/** A record by its ID, and by what people know it by: `platform_a 3: CHK-3, 30.00 USD`. */
export function RecordText({ of: record }: { readonly of: KnownRecord }): ReactNode {
  const { names = '', amount } = record.facts ?? {};
  return (
    <>
      {nameOf(record)}
      {names !== '' && (
        <>
          : <bdi>{names}</bdi>
        </>
      )}
      {amount !== undefined && (
        <>
          {names === '' ? ': ' : ', '}
          <Money of={amount} />
        </>
      )}
    </>
  );
}

/** The records that a decision is about. */
export function RecordPair({ of: records }: { readonly of: readonly KnownRecord[] }): ReactNode {
  return (
    <ul aria-label="The two records">
      {records.map((record) => (
        <li key={nameOf(record)} className="text">
          <RecordText of={record} />
        </li>
      ))}
    </ul>
  );
}
