import { useId, type ReactNode } from 'react';

/** What may be chosen: the value of the form, and its words. */
export type Options = readonly (readonly [value: string, words: string])[];

interface ChoiceFieldProps {
  readonly label: string;
  /** The member of the form. */
  readonly name: string;
  readonly options: Options;
  /** What is chosen at first; undefined for the option whose value is empty. */
  readonly value: string | undefined;
}

/** One of several options in a form that stands in the address, with its label. */
export function ChoiceField({ label, name, options, value = '' }: ChoiceFieldProps): ReactNode {
  const id = useId();
  return (
    <label htmlFor={id}>
      {label}
      <select id={id} name={name} defaultValue={value}>
        {options.map(([one, words]) => (
          <option key={one} value={one}>
            {words}
          </option>
        ))}
      </select>
    </label>
  );
}

/** Options whose values are their words. */
export function optionsOf(values: readonly string[]): Options {
  return values.map((value) => [value, value]);
}
