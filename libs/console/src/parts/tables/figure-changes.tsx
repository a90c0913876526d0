import type { ReactNode } from 'react';
import type { Platform } from '../../data/queries';
import type { FigureChange } from '../../data/signoffs';
import { figureWords } from '../words/figure-words';
import { typeWords } from '../words/type-words';
import { Money } from '../values/money';
import { countText } from '../values/money-text';
import { Table } from './table';

interface FigureChangesProps {
  readonly caption: string;
  readonly changes: readonly FigureChange[];
  readonly platforms: readonly Platform[];
}

/** Figures of a statement that are not what they were, each with both values. */
export function FigureChanges({ caption, changes, platforms }: FigureChangesProps): ReactNode {
  return (
    <Table
      caption={caption}
      label={caption}
      columns={[
        { name: 'Type', cell: ({ entity_type: type }) => typeWords[type], isHead: true },
        { name: 'Figure', cell: (change) => figureWords(change, platforms) },
        { name: 'Before', cell: ({ before }) => <FigureValue of={before} />, isNumber: true },
        { name: 'Now', cell: ({ after }) => <FigureValue of={after} />, isNumber: true },
      ]}
      rows={changes}
      keyOf={keyOfFigure}
    />
  );
}

/** What tells a figure from the others: those outside of the sums have one for each currency. */
export function keyOfFigure(figure: FigureChange): string {
  const { entity_type: type, part, line, platform, before } = figure;
  return [type, part, line, platform, line === 'outside' ? before.amount?.currency : ''].join(' ');
}

/** A figure: what it counts, and the amount of that where it has one. */
export function FigureValue({ of }: { readonly of: FigureChange['before'] }): ReactNode {
  if (of.amount === null) return countText(of.count);
  return (
    <>
      <span className="quiet">{itemsText(of.count)} ·</span> <Money of={of.amount} />
    </>
  );
}

function itemsText(count: number): string {
  return `${countText(count)} ${count === 1 ? 'item' : 'items'}`;
}
