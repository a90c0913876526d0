import type { ReactNode } from 'react';
import { FieldValue } from '../parts/values/field-value';
import { fieldWords } from '../parts/words/object-words';

/** The value of a field with its parts: lines one below the other, the parts of an address or a line by their names. */
export function Value({ of }: { readonly of: unknown }): ReactNode {
  if (Array.isArray(of)) return <Lines of={of} />;
  if (!hasParts(of)) return <FieldValue of={of} />;
  const parts = Object.entries(of).filter(([, part]) => part !== null && part !== undefined);
  return parts.map(([name, part], index) => (
    <span key={name}>
      {index > 0 && ', '}
      <span className="quiet">{fieldWords(name)}</span> <Value of={part} />
    </span>
  ));
}

function Lines({ of }: { readonly of: readonly unknown[] }): ReactNode {
  if (of.length === 0) return 'none';
  return (
    <details>
      <summary>{of.length === 1 ? '1 line' : `${of.length} lines`}</summary>
      <ol>
        {of.map((line, index) => (
          // Lines have no name of their own, and stay in their order.
          <li key={index}>
            <Value of={line} />
          </li>
        ))}
      </ol>
    </details>
  );
}

function hasParts(value: unknown): value is Readonly<Record<string, unknown>> {
  return (
    typeof value === 'object' &&
    value !== null &&
    !('amount' in value && 'currency' in value && Object.keys(value).length === 2)
  );
}
