import { useId, type ReactNode, type Ref } from 'react';

interface TextFieldProps {
  /** The element, for a caller that moves the focus to it. */
  readonly field?: Ref<HTMLInputElement>;
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  /** Whether a form with an empty field cannot be sent. */
  readonly required?: boolean;
  readonly type?: 'text' | 'date';
  readonly maxLength?: number;
  readonly hint?: string;
  readonly autoComplete?: 'name';
  /** Texts that are offered while the person types; others may be written all the same. */
  readonly offers?: readonly string[];
}

/** A line of text with its label above it. */
export function TextField(props: TextFieldProps): ReactNode {
  const { label, value, onChange, required = false, type = 'text', maxLength = 200, hint, offers } = props;
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <input
        ref={props.field}
        id={id}
        type={type}
        value={value}
        required={required}
        maxLength={maxLength}
        pattern={required ? '.*\\S.*' : undefined}
        autoComplete={props.autoComplete ?? 'off'}
        aria-describedby={hint === undefined ? undefined : `${id}-hint`}
        list={offers === undefined ? undefined : `${id}-offers`}
        onChange={({ target }) => onChange(target.value)}
      />
      {offers !== undefined && (
        <datalist id={`${id}-offers`}>
          {offers.map((offer) => (
            <option key={offer} value={offer} />
          ))}
        </datalist>
      )}
      {hint !== undefined && (
        <p id={`${id}-hint`} className="quiet">
          {hint}
        </p>
      )}
    </div>
  );
}
