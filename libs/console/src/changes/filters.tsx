import { useId, type FormEvent, type ReactNode } from 'react';
import { Link } from 'wouter';
import { platforms } from '../data/queries';
import { hrefOf, navigate } from '../location';
import { TypeOptions } from '../parts/dialogs/type-options';
import { states, type ChangesQuery } from './changes-query';
import { textsOf } from '../parts/form-texts';

/** Which changes. It stands in the address. */
export function Filters({ query }: { readonly query: ChangesQuery }): ReactNode {
  const id = useId();
  const show = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    navigate(hrefOf('/changes', { ...textsOf(event.currentTarget), canonical_id: query.canonical_id }));
  };
  return (
    <>
      <form className="scope" key={JSON.stringify(query)} onSubmit={show}>
        <label htmlFor={`${id}-state`}>
          State
          <select id={`${id}-state`} name="state" defaultValue={query.state ?? ''}>
            <option value="">any</option>
            {states.map((state) => (
              <option key={state}>{state}</option>
            ))}
          </select>
        </label>
        <label htmlFor={`${id}-platform`}>
          Platform
          <select id={`${id}-platform`} name="platform" defaultValue={query.platform ?? ''}>
            <option value="">any</option>
            {platforms.map((platform) => (
              <option key={platform}>{platform}</option>
            ))}
          </select>
        </label>
        <label htmlFor={`${id}-type`}>
          Type
          <select id={`${id}-type`} name="entity_type" defaultValue={query.entity_type ?? ''}>
            <option value="">any</option>
            <TypeOptions />
          </select>
        </label>
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
