import { phraseOf, type ValueSchema } from '../../canonical/schema';
import type { Access } from '../../resource/native-resource';

/** A native field of a description: its path as text, and what is there. */
export interface DescribedPlace {
  readonly path: string;
  readonly schema: ValueSchema;
  /** Of a reference: whether it names the record by native ID or by business key. */
  readonly by?: 'id' | 'key';
}

/** The documentation of one canonical field on a platform. */
export interface FieldDescription {
  readonly field: string;
  /** Native fields, from the record inwards; none where all records of the platform have the same value. */
  readonly places: readonly DescribedPlace[];
  /** The paths of `places`. */
  readonly paths: readonly string[];
  /** The value that all records have. */
  readonly constant?: unknown;
  readonly access: Access;
  /** It is read and never written: each platform keeps its own. */
  readonly readOnly?: true;
  /** The same for each member of a line, with paths from the line inwards. */
  readonly members?: readonly FieldDescription[];
}

/** The documentation of a place, after its path. */
export function phraseOfPlace({ schema, by }: DescribedPlace): string {
  const note = schema.note === undefined ? '' : `, ${schema.note}`;
  return `${phraseOf(schema)}${note}${by === undefined ? '' : ` (by ${by})`}`;
}
