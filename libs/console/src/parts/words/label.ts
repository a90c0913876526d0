import type { ObjectDetail } from '@app/client';

/** What a person calls the object: its number, and its name or title. Undefined where it has neither. */
export function labelOf(data: ObjectDetail['data']): string | undefined {
  const parts = namesOf(data);
  return parts.length === 0 ? undefined : parts.join(' · ');
}

/** Number, and name or title, as far as the object has them. */
export function namesOf(data: ObjectDetail['data']): string[] {
  const number = 'check_number' in data ? data.check_number : 'number' in data ? data.number : undefined;
  const name = 'name' in data ? data.name : 'title' in data ? data.title : undefined;
  return [number, name].flatMap((part) => (typeof part === 'string' && part !== '' ? [part] : []));
}
