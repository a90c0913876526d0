import { isJsonArray, JsonTextError, parseJsonText, stringifyJson, type JsonValue } from '@app/mapper';
import { badRequest } from '../odata-error';

/** Where a walk goes on: behind a key, with so many records still wanted. */
export interface WalkPlace {
  /** Values of the fields that the walk is sorted by, of the last record that was sent. */
  readonly key: readonly JsonValue[];
  /** What is left of `$top`; null without one. */
  readonly left: number | null;
}

/** A place as an opaque text. */
export function skipTokenOf({ key, left }: WalkPlace): string {
  return Buffer.from(stringifyJson([left, ...key]), 'utf8').toString('base64url');
}

/** @throws ODataError 400 for a text that is no place of a walk by so many fields */
export function walkPlaceOf(token: string, fields: number): WalkPlace {
  const [left, ...key] = valuesOf(token);
  if (key.length !== fields || (left !== null && typeof left !== 'number')) throw wrongToken();
  return { key, left };
}

function valuesOf(token: string): readonly JsonValue[] {
  try {
    const values = parseJsonText(Buffer.from(token, 'base64url').toString('utf8'));
    if (isJsonArray(values)) return values;
  } catch (error) {
    if (!(error instanceof JsonTextError)) throw error;
  }
  throw wrongToken();
}

function wrongToken(): Error {
  return badRequest('The skip token is not valid.');
}
