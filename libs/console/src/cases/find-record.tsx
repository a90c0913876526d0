import { useId, type FormEvent, type ReactNode, type Ref } from 'react';
import { hrefOf, navigate } from '../location';
import { textsOf } from '../parts/form-texts';

/** Leads to the finder: a case is also reached by the record that it is about. */
export function FindRecord({ field }: { readonly field: Ref<HTMLInputElement> }): ReactNode {
  const id = useId();
  const find = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    navigate(hrefOf('/objects', textsOf(event.currentTarget)));
  };
  return (
    <form role="search" className="actions" onSubmit={find}>
      <label htmlFor={id} className="hidden">
        Find a record by number, title or name
      </label>
      <input
        ref={field}
        id={id}
        name="q"
        type="search"
        required
        maxLength={200}
        autoComplete="off"
        placeholder="Number, title or name"
      />
      <button type="submit">Find</button>
    </form>
  );
}
