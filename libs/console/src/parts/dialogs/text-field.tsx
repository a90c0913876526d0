import { useId, type ReactNode } from 'react';

interface TextFieldProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  /** A dialog with an empty one cannot be sent. */
  readonly required?: boolean;
  readonly type?: 'text' | 'date';
  readonly maxLength?: number;
  readonly hint?: string;
  readonly autoComplete?: 'name';
}

/** A line of text with its label above it. */
export function TextField(props: TextFieldProps): ReactNode {
  const { label, value, onChange, required = false, type = 'text', maxLength = 200, hint } = props;
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        type={type}
        value={value}
        required={required}
        maxLength={maxLength}
        pattern={required ? '.*\\S.*' : undefined}
        autoComplete={props.autoComplete ?? 'off'}
        aria-describedby={hint === undefined ? undefined : `${id}-hint`}
        onChange={({ target }) => onChange(target.value)}
      />
      {hint !== undefined && (
        <p id={`${id}-hint`} className="quiet">
          {hint}
        </p>
      )}
    </div>
  );
}
