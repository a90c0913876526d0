import { useState, type ReactNode } from 'react';
import { useKept, usePerson } from '../../data/kept';
import { TextField } from './text-field';

/** Who decides, and why, as it is being written. */
export interface Why {
  readonly reason: string;
  readonly person: string;
  readonly setReason: (reason: string) => void;
  readonly setPerson: (person: string) => void;
  /** The members of a request. */
  readonly members: { readonly reason: string; readonly decided_by: string };
}

/** A reason that nobody has written yet, and the name that this person wrote last. */
export function useWhy(): Why {
  return useWhyOf(useState(''));
}

/** As {@link useWhy}, with the reason that this person was writing for the same thing when they left its screen. */
export function useKeptWhy(what: string): Why {
  return useWhyOf(useKept(`reason of ${what}`, ''));
}

function useWhyOf([reason, setReason]: readonly [string, (reason: string) => void]): Why {
  const [person, setPerson] = usePerson();
  return {
    reason,
    person,
    setReason,
    setPerson,
    members: { reason: reason.trim(), decided_by: person.trim() },
  };
}

/** Asks for the reason of a decision and for the name of the person. Both are demanded: auditors ask for both. */
export function WhyFields({ why }: { readonly why: Why }): ReactNode {
  return (
    <>
      <TextField label="Reason" value={why.reason} onChange={why.setReason} maxLength={2000} required />
      <TextField
        label="Decided by"
        value={why.person}
        onChange={why.setPerson}
        autoComplete="name"
        required
      />
    </>
  );
}
