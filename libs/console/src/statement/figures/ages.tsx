import type { ReactNode } from 'react';
import type { ReadStatement } from '../../data/queries';
import { countText } from '../../parts/values/money-text';
import { ScrollRegion } from '../../parts/tables/table';
import { CasesLink } from './cases-link';

interface AgesProps {
  readonly name: string;
  readonly type: ReadStatement['types'][number]['entity_type'];
  readonly query: ReadStatement['query'];
  readonly ages: ReadStatement['types'][number]['ages'];
  readonly draws: boolean;
}

const words = {
  '0-30': '0–30 days',
  '31-60': '31–60 days',
  '61-90': '61–90 days',
  'over-90': 'over 90 days',
} as const;
const groups = Object.keys(words) as (keyof typeof words)[]; // The keys of the literal above.

/** For how long the items of a type do not agree, accepted ones among them: a histogram in a table. */
export function Ages({ name, type, query, ages, draws }: AgesProps): ReactNode {
  const most = Math.max(1, ...groups.map((group) => ages[group]));
  return (
    <ScrollRegion label={`${name}: ages of items that do not agree`}>
      <table>
        <caption>Items that do not agree, by age</caption>
        <thead>
          <tr>
            <th scope="col">Not agreeing for</th>
            <th scope="col" className="number">
              Objects
            </th>
            {draws && (
              <th scope="col" className="picture">
                <span className="hidden">Picture</span>
              </th>
            )}
          </tr>
        </thead>
        <tbody>
          {groups.map((group) => (
            <tr key={group}>
              <th scope="row">
                <CasesLink type={type} query={query} filters={ages[group] === 0 ? undefined : { age: group }}>
                  {words[group]}
                </CasesLink>
              </th>
              <td className="number">{countText(ages[group])}</td>
              {draws && (
                <td className="picture">
                  <svg className="bar" viewBox="0 0 1000 20" preserveAspectRatio="none" aria-hidden="true">
                    <rect className="age" width={(ages[group] / most) * 1000} height="20" />
                  </svg>
                </td>
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollRegion>
  );
}
