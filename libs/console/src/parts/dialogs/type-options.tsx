import type { ReactNode } from 'react';
import { storedTypes, typeName } from '../words/type-words';

/** The stored types, as the options of a `select`. */
export function TypeOptions(): ReactNode {
  return storedTypes.map((type) => (
    <option key={type} value={type}>
      {typeName[type]}
    </option>
  ));
}
