import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { objectHref, type CaseDetail } from '../data/cases';
import type { RecordName } from '../data/decisions';
import { platforms } from '../data/queries';
import { nameOf } from '../parts/words/decision-words';
import { Compared } from './compared';

interface ObjectNowProps {
  /** A closed case. */
  readonly one: CaseDetail;
}

/**
 * The records that a closed case was about, as they are now, beside what they are linked with. That may be other records by now, so
 * the fields stand under the platforms, and not under the records of the case.
 */
export function ObjectNow({ one }: ObjectNowProps): ReactNode {
  const { records, candidates, compared, canonical_id: object } = one;
  const there = platforms.filter((platform) => compared.some(({ values }) => values[platform] !== undefined));
  return (
    <section className="card" aria-label="As it is now">
      <p className="text">
        When the case closed, its {records.length === 1 ? 'record was' : 'records were'} {namesOf(records)}
        {candidates.length > 0 &&
          `, and ${candidates.length === 1 ? 'its candidate' : 'its candidates'} ${namesOf(candidates)}`}
        .
      </p>
      {there.length === 0 ? (
        <p>No platform has them any more.</p>
      ) : (
        <>
          <p>
            The fields are as they are now, of these records and of what they are linked with.{' '}
            <Link href={objectHref(object)}>Open the object</Link>
          </p>
          <Compared fields={compared} sides={there.map((platform) => ({ platform, name: platform }))} />
        </>
      )}
    </section>
  );
}

function namesOf(records: readonly RecordName[]): string {
  return records.map(nameOf).join(' and ');
}
