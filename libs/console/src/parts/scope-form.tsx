import type { FormEvent, ReactNode } from 'react';
import { navigate } from '../location';
import { followFocus } from './dialogs/follow-focus';
import { textsOf, type FormTexts } from './form-texts';

interface ScopeFormProps {
  /** What the address asks for. It may change beside the form: the fields begin anew with it. */
  readonly query: object | string | undefined;
  /** The address of what the form says. */
  readonly addressOf: (texts: FormTexts) => string;
  readonly children: ReactNode;
}

/** A form for what a screen shows. What it says goes into the address. */
export function ScopeForm({ query, addressOf, children }: ScopeFormProps): ReactNode {
  const show = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    followFocus();
    navigate(addressOf(textsOf(event.currentTarget)));
  };
  return (
    <form className="scope" key={JSON.stringify(query)} onSubmit={show}>
      {children}
      <button type="submit">Show</button>
    </form>
  );
}
