import type { JsonValue } from '@app/mapper';

/** A text or a number as a text; nothing for anything else. */
export function textOf(value: JsonValue | undefined): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}
