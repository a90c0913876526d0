import { useId, type ReactNode } from 'react';
import { Link } from 'wouter';
import { platforms } from '../data/queries';
import { hrefOf } from '../location';
import { ChoiceField, optionsOf } from '../parts/dialogs/choice-field';
import { states, type ChangesQuery } from './changes-query';
import { ScopeForm } from '../parts/scope-form';
import { typeOptions } from '../parts/words/type-words';

/** Which changes. It stands in the address. */
export function Filters({ query }: { readonly query: ChangesQuery }): ReactNode {
  const id = useId();
  return (
    <>
      <ScopeForm
        query={query}
        addressOf={(texts) => hrefOf('/changes', { ...texts, canonical_id: query.canonical_id })}
      >
        <ChoiceField
          label="State"
          name="state"
          options={[['', 'any'], ...optionsOf(states)]}
          value={query.state}
        />
        <ChoiceField
          label="Platform"
          name="platform"
          options={[['', 'any'], ...optionsOf(platforms)]}
          value={query.platform}
        />
        <ChoiceField
          label="Type"
          name="entity_type"
          options={[['', 'any'], ...typeOptions]}
          value={query.entity_type}
        />
        <label htmlFor={`${id}-since`}>
          From
          <input id={`${id}-since`} type="date" name="since" defaultValue={query.since?.slice(0, 10)} />
        </label>
        <label htmlFor={`${id}-until`}>
          Through
          <input id={`${id}-until`} type="date" name="until" defaultValue={query.until?.slice(0, 10)} />
        </label>
      </ScopeForm>
      {query.canonical_id !== undefined && (
        <p className="note">
          Only changes of{' '}
          <Link href={`/objects/${encodeURIComponent(query.canonical_id)}`} className="name">
            {query.canonical_id}
          </Link>
          .{' '}
          <Link href={hrefOf('/changes', { ...query, canonical_id: undefined })}>
            Show those of all objects
          </Link>
        </p>
      )}
    </>
  );
}
