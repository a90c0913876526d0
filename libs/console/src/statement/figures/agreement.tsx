import type { ReactNode } from 'react';
import type { Platform, ReadStatement } from '../../data/queries';
import { countText } from '../../parts/values/money-text';
import { Table } from '../../parts/tables/table';
import type { Filters } from './case-filters';
import { CasesLink } from './cases-link';

interface AgreementProps {
  readonly name: string;
  readonly type: ReadStatement['types'][number]['entity_type'];
  readonly counts: ReadStatement['types'][number]['counts'];
  readonly platforms: readonly Platform[];
  readonly query: ReadStatement['query'];
  readonly draws: boolean;
}

interface Share {
  readonly words: string;
  readonly count: number;
  /** Its fill, and its mark beside the words. */
  readonly kind: 'agree' | 'disagree' | 'first' | 'second' | 'ambiguous';
  /** The cases behind it; undefined where there are none. */
  readonly filters: Filters | undefined;
}

const marks: Readonly<Record<Share['kind'], string>> = {
  agree: '●',
  disagree: '≠',
  first: '◧',
  second: '◨',
  ambiguous: '?',
};

/** How many objects of a type agree: a bar, and the same in a table. */
export function Agreement({ name, type, counts, platforms, query, draws }: AgreementProps): ReactNode {
  const [first = 'platform_a', second = 'platform_b'] = platforms;
  const shares: readonly Share[] = [
    { words: 'Agree on both platforms', count: counts.agree, kind: 'agree', filters: undefined },
    {
      words: 'Differ between the platforms',
      count: counts.disagree,
      kind: 'disagree',
      filters: { kind: 'disagreement' },
    },
    {
      words: `On ${first} only`,
      count: counts.only_on[first] ?? 0,
      kind: 'first',
      filters: { kind: 'only_on', platform: first },
    },
    {
      words: `On ${second} only`,
      count: counts.only_on[second] ?? 0,
      kind: 'second',
      filters: { kind: 'only_on', platform: second },
    },
    {
      words: 'Match not certain',
      count: counts.ambiguous,
      kind: 'ambiguous',
      filters: { kind: 'ambiguous' },
    },
  ];
  const deleted = platforms.reduce((sum, platform) => sum + (counts.deleted[platform] ?? 0), 0);
  return (
    <div>
      {draws && <AgreementBar shares={shares} />}
      <Table
        caption="Objects"
        label={`${name}: objects`}
        columns={[
          { name: 'State', cell: (share) => stateCell(share, type, query), isHead: true },
          { name: 'Objects', cell: ({ count }) => countText(count), isNumber: true },
        ]}
        rows={shares}
        keyOf={({ kind }) => kind}
      />
      {counts.accepted > 0 && (
        <p className="quiet">
          Of those that do not agree,{' '}
          <CasesLink type={type} query={query} filters={{ state: 'accepted' }}>
            {countText(counts.accepted)} {counts.accepted === 1 ? 'is' : 'are'} accepted
          </CasesLink>
          .
        </p>
      )}
      {deleted > 0 && (
        <p className="quiet">
          Beside them, {countText(deleted)} {deleted === 1 ? 'record was' : 'records were'} deleted on their
          platform.
        </p>
      )}
    </div>
  );
}

function stateCell(
  { words, count, kind, filters }: Share,
  type: AgreementProps['type'],
  query: AgreementProps['query'],
): ReactNode {
  return (
    <>
      <span className={`swatch ${kind}`} aria-hidden="true">
        {marks[kind]}
      </span>{' '}
      <CasesLink type={type} query={query} filters={count === 0 ? undefined : filters}>
        {words}
      </CasesLink>
    </>
  );
}

const WIDTH = 1000;

function AgreementBar({ shares }: { readonly shares: readonly Share[] }): ReactNode {
  const total = shares.reduce((sum, { count }) => sum + count, 0);
  const before = (index: number): number => shares.slice(0, index).reduce((sum, { count }) => sum + count, 0);
  const place = (count: number): number => (total === 0 ? 0 : (count / total) * WIDTH);
  return (
    <svg className="bar" viewBox={`0 0 ${WIDTH} 20`} preserveAspectRatio="none" aria-hidden="true">
      <rect className="track" width={WIDTH} height="20" />
      {shares.map(({ kind, count }, index) => (
        <rect key={kind} className={kind} x={place(before(index))} width={place(count)} height="20" />
      ))}
    </svg>
  );
}
