import type { FoundObject } from '../data/queries';

/** A project by its number and name; undefined where it has neither. */
export function projectName(data: FoundObject['data']): string | undefined {
  if (data.object !== 'project') return undefined;
  const parts = [data.number, data.name].filter((part) => part != null && part !== '');
  return parts.length === 0 ? undefined : parts.join(' · ');
}
