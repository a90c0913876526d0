import {
  setMember,
  valueAt,
  withValuesAt,
  type JsonObject,
  type JsonValue,
  type NativeChange,
} from '@app/mapper';
import { blankOf } from '../../pages/field-kinds';
import type { Page } from '../../pages/page';

/**
 * The body of a change: fields in the order of the page, because a field may reset others; null as the page's blank
 * value. Fields that the page does not have come last; the platform accepts or refuses them.
 */
export function bodyOf(page: Page, changes: readonly NativeChange[]): JsonObject {
  const values = withValuesAt({}, changes);
  const body: Record<string, JsonValue> = {};
  const known = [...page.fields.keys()].filter((name) => Object.hasOwn(values, name));
  const unknown = Object.keys(values).filter((name) => !page.fields.has(name));
  for (const name of [...known, ...unknown]) {
    const kind = page.fields.get(name)?.kind;
    const value = valueAt(values, [name]) ?? null;
    setMember(body, name, value === null && kind !== undefined ? blankOf(kind) : value);
  }
  return body;
}
