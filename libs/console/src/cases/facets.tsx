import type { ReactNode } from 'react';
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
            <ul>
              {facets[facet].map(({ value, count }) => (
                <li key={value}>
                  <Choice
                    query={query}
                    member={facet}
                    value={value}
                    words={wordsFor(facet, value)}
                    count={count}
                  />
                </li>
              ))}
            </ul>
          </div>
        ),
      )}
    </section>
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
        {words}
        {isChosen && <span className="hidden">, chosen; leave it out</span>}
      </span>
      <span className="number">{countText(count)}</span>
    </Link>
  );
}
