import { useState, type ReactNode } from 'react';
import { Link } from 'wouter';
import { membersOf, type CaseMember, type CaseQuery } from '../data/case-query';
import type { Case, CaseFacets } from '../data/cases';
import { hrefOf } from '../location';
import { ageWords, kindWords } from '../parts/words/case-words';
import { countText } from '../parts/values/money-text';

interface FacetsProps {
  readonly query: CaseQuery;
  readonly facets: CaseFacets;
  /** The rows that show: they name projects, of which the facets have the IDs. */
  readonly rows: readonly Case[];
}

type Facet = Exclude<keyof CaseFacets, 'total' | 'state'>;

const titles: readonly (readonly [Facet, string])[] = [
  ['kind', 'Kind'],
  ['entity_type', 'Type'],
  ['age', 'Open for'],
  ['field', 'Field'],
  ['owner', 'Owner'],
  ['project_id', 'Project'],
];

/** What the cases of the list are, with counts. Each is a link that chooses these cases, or lets the others in again. */
export function Facets({ query, facets, rows }: FacetsProps): ReactNode {
  const names = new Map(
    rows.flatMap(({ project }) => (project === null ? [] : [[project.id, project.name]])),
  );
  const wordsFor = (facet: Facet, value: string): string => {
    if (facet === 'kind') return Object.entries(kindWords).find(([kind]) => kind === value)?.[1] ?? value;
    if (facet === 'age') return ageWords[value] ?? value;
    return facet === 'project_id' ? (names.get(value) ?? value) : value;
  };
  return (
    <section className="facets" aria-label="Filters">
      {titles.map(([facet, title]) =>
        facets[facet].length === 0 ? null : (
          <div key={facet}>
            <h2>{title}</h2>
            <Values
              values={facets[facet]}
              row={({ value, count }) => (
                <Choice
                  query={query}
                  member={facet}
                  value={value}
                  words={wordsFor(facet, value)}
                  count={count}
                />
              )}
            />
          </div>
        ),
      )}
    </section>
  );
}

type Value = CaseFacets[Facet][number];

interface ValuesProps {
  readonly values: readonly Value[];
  readonly row: (value: Value) => ReactNode;
}

/** Values of a facet that show at once. A list has up to 50 projects, the most frequent first. */
const FIRST = 10;

/** The values of a facet: the first ones, and the others when a person asks for them. */
function Values({ values, row }: ValuesProps): ReactNode {
  const [showsAll, setShowsAll] = useState(false);
  const list = (some: readonly Value[]): ReactNode => (
    <ul>
      {some.map((one) => (
        <li key={one.value}>{row(one)}</li>
      ))}
    </ul>
  );
  const others = values.slice(FIRST);
  return (
    <>
      {list(values.slice(0, FIRST))}
      {others.length > 0 && (
        <details onToggle={({ currentTarget }) => setShowsAll(currentTarget.open)}>
          <summary>{countText(others.length)} more</summary>
          {showsAll && list(others)}
        </details>
      )}
    </>
  );
}

interface ChoiceProps {
  readonly query: CaseQuery;
  readonly member: CaseMember;
  readonly value: string;
  readonly words: string;
  readonly count: number;
}

function Choice({ query, member, value, words, count }: ChoiceProps): ReactNode {
  const isChosen = query[member] === value;
  const members = membersOf(query, { [member]: isChosen ? undefined : value });
  return (
    <Link href={hrefOf('/cases', members)} aria-current={isChosen ? 'true' : undefined}>
      <span className="text">
        {isChosen && <span aria-hidden="true">✕ </span>}
        <bdi>{words}</bdi>
        {isChosen && <span className="hidden">, chosen; leave it out</span>}
      </span>
      <span className="number">{countText(count)}</span>
    </Link>
  );
}
