import { useId, type ReactNode } from 'react';
import type { ReadStatement } from '../data/queries';
import { typeWords } from '../parts/words/type-words';
import { Ages } from './figures/ages';
import { Agreement } from './figures/agreement';
import { Bridge } from './figures/bridge';
import { footingOf } from './figures/footing';

interface TypeSectionProps {
  readonly type: ReadStatement['types'][number];
  readonly statement: ReadStatement;
}

/** One type of a statement: how many agree, how the sums lead to each other, how old the open items are. */
export function TypeSection({ type, statement }: TypeSectionProps): ReactNode {
  const heading = useId();
  const { totals, counts, ages, entity_type: name } = type;
  const footing = totals === null ? undefined : footingOf(totals);
  // A picture of figures that contradict each other would be believed.
  const draws = footing?.foots ?? true;
  return (
    <section className="card type" aria-labelledby={heading}>
      <h2 id={heading}>{typeWords[name]}</h2>
      <div className="columns">
        <Agreement
          name={typeWords[name]}
          type={name}
          counts={counts}
          platforms={statement.platforms}
          query={statement.query}
          draws={draws}
        />
        <Ages name={typeWords[name]} type={name} query={statement.query} ages={ages} draws={draws} />
      </div>
      {totals !== null && footing !== undefined && (
        <Bridge
          name={typeWords[name]}
          type={name}
          totals={totals}
          counts={counts}
          footing={footing}
          statement={statement}
        />
      )}
    </section>
  );
}
