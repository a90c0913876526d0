import { useId, type FormEvent, type ReactNode } from 'react';
import { Link } from 'wouter';
import { platforms } from '../data/queries';
import { hrefOf, navigate } from '../location';
import { ChoiceField, optionsOf } from '../parts/dialogs/choice-field';
import { followFocus } from '../parts/dialogs/follow-focus';
import { states, type ChangesQuery } from './changes-query';
import { textsOf } from '../parts/form-texts';
import { typeOptions } from '../parts/words/type-words';

/** Which changes. It stands in the address. */
export function Filters({ query }: { readonly query: ChangesQuery }): ReactNode {
  const id = useId();
  const show = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    followFocus();
    navigate(hrefOf('/changes', { ...textsOf(event.currentTarget), canonical_id: query.canonical_id }));
  };
  return (
    <>
      <form className="scope" key={JSON.stringify(query)} onSubmit={show}>
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
        <button type="submit">Show</button>
      </form>
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
