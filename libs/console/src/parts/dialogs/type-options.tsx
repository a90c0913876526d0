import type { ReactNode } from 'react';
import { typeOptions } from '../words/type-words';

/** The stored types, as the options of a `select`. */
export function TypeOptions(): ReactNode {
  return typeOptions.map(([type, words]) => (
    <option key={type} value={type}>
      {words}
    </option>
  ));
}
