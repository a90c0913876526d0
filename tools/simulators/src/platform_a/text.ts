import type { JsonValue } from '@app/mapper';

/** A text or number as text; empty for any other value. */
export function textOf(value: JsonValue | undefined): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}
