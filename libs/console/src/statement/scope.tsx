import { useId, type ReactNode } from 'react';
import { useTimeZone, type StatementQuery } from '../data/queries';
import { hrefOf } from '../location';
import { AsOfField } from '../parts/as-of-field';
import { ChoiceField, optionsOf } from '../parts/dialogs/choice-field';
import { ProjectField } from './project-field';
import { membersOf } from './statement-query';
import { ScopeForm } from '../parts/scope-form';
import { typeOptions } from '../parts/words/type-words';

interface ScopeProps {
  readonly query: StatementQuery;
  /** Currencies that the customer has to do with. */
  readonly currencies: readonly string[];
}

/** Which statement: as of when, documents up to which day, in which currency, of what. It stands in the address. */
export function Scope({ query, currencies }: ScopeProps): ReactNode {
  const id = useId();
  const zone = useTimeZone();
  const known = query.currency === undefined ? currencies : [...new Set([...currencies, query.currency])];
  return (
    <ScopeForm query={query} addressOf={(texts) => hrefOf('/', membersOf(texts, query, zone))}>
      <AsOfField asOf={query.as_of} />
      <label htmlFor={`${id}-through`}>
        Documents through
        <input id={`${id}-through`} type="date" name="through" defaultValue={query.through} />
      </label>
      <ChoiceField
        label="Currency"
        name="currency"
        options={[['', 'of the first platform'], ...optionsOf(known)]}
        value={query.currency}
      />
      <ChoiceField
        label="Type"
        name="entity_type"
        options={[['', 'all'], ...typeOptions]}
        value={query.entity_type}
      />
      <ProjectField project={query.project_id} />
    </ScopeForm>
  );
}
