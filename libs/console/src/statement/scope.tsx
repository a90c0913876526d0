import { useId, type FormEvent, type ReactNode } from 'react';
import type { StatementQuery } from '../data/queries';
import { hrefOf, navigate } from '../location';
import { TypeOptions } from '../parts/dialogs/type-options';
import { ProjectField } from './project-field';
import { dayOf, membersOf } from './statement-query';
import { textsOf } from '../parts/form-texts';

interface ScopeProps {
  readonly query: StatementQuery;
  /** Currencies that the customer has to do with. */
  readonly currencies: readonly string[];
}

/** Which statement: as of when, documents up to which day, in which currency, of what. It stands in the address. */
export function Scope({ query, currencies }: ScopeProps): ReactNode {
  const id = useId();
  const show = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const texts = textsOf(event.currentTarget);
    navigate(
      hrefOf(
        '/',
        membersOf((name) => texts[name] ?? '', query),
      ),
    );
  };
  const known = query.currency === undefined ? currencies : [...new Set([...currencies, query.currency])];
  return (
    // The address may change beside the form: the fields begin anew with it.
    <form className="scope" key={JSON.stringify(query)} onSubmit={show}>
      <label htmlFor={`${id}-as-of`}>
        As of the end of
        <input
          id={`${id}-as-of`}
          type="date"
          name="as_of"
          defaultValue={query.as_of === undefined ? undefined : dayOf(query.as_of)}
        />
      </label>
      <label htmlFor={`${id}-through`}>
        Documents through
        <input id={`${id}-through`} type="date" name="through" defaultValue={query.through} />
      </label>
      <label htmlFor={`${id}-currency`}>
        Currency
        <select id={`${id}-currency`} name="currency" defaultValue={query.currency ?? ''}>
          <option value="">of the first platform</option>
          {known.map((code) => (
            <option key={code}>{code}</option>
          ))}
        </select>
      </label>
      <label htmlFor={`${id}-type`}>
        Type
        <select id={`${id}-type`} name="entity_type" defaultValue={query.entity_type ?? ''}>
          <option value="">all</option>
          <TypeOptions />
        </select>
      </label>
      <ProjectField project={query.project_id} />
      <button type="submit">Show</button>
    </form>
  );
}
