import type { ReactNode } from 'react';
import type { Case } from '../../data/cases';
import { platforms } from '../../data/queries';
import { CaseSide } from '../values/case-side';
import { Money } from '../values/money';
import { caseName, whyWords } from '../words/case-words';
import { Table, type Column } from './table';

/** A case as a person looked at it, and as it is now. */
export interface ChangedCase {
  readonly before: Case;
  readonly now: Case;
}

interface Row {
  readonly when: 'Before' | 'Now';
  readonly one: Case;
}

const columns: readonly Column<Row>[] = [
  { name: 'Case', cell: ({ one }) => <span className="text">{caseName(one)}</span>, isHead: true },
  { name: 'When', cell: ({ when }) => when },
  ...platforms.map((platform): Column<Row> => ({
    name: platform,
    isNumber: true,
    cell: ({ one }) => <CaseSide one={one} platform={platform} />,
  })),
  {
    name: 'Difference',
    isNumber: true,
    cell: ({ one: { difference } }) => (difference === null ? '–' : <Money of={difference} sign="always" />),
  },
  { name: 'Why', cell: ({ one }) => <span className="quiet text">{whyWords(one)}</span> },
  { name: 'Date', cell: ({ one }) => one.document_date ?? '–' },
  { name: 'Project', cell: ({ one }) => <span className="text">{one.project?.name ?? '–'}</span> },
];

/** Cases whose values have changed while a person looked at them: what the person saw, and what is there now. */
export function ChangedCases({ changed }: { readonly changed: readonly ChangedCase[] }): ReactNode {
  return (
    <Table
      caption="Changed meanwhile: you accepted nothing"
      label="What changed meanwhile"
      columns={columns}
      rows={changed.flatMap(({ before, now }): readonly Row[] => [
        { when: 'Before', one: before },
        { when: 'Now', one: now },
      ])}
      keyOf={({ when, one }) => `${one.id} ${when}`}
    />
  );
}
