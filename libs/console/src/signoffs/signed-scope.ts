import type { Signoff } from '../data/signoffs';
import { typeWords } from '../parts/words/type-words';

type Scope = Pick<Signoff, 'through' | 'currency' | 'entity_type' | 'project_id'>;

/** What a statement is of: `Documents through 2026-06-30, in USD, payments only`. */
export function scopeText({ through, currency, entity_type: type, project_id: project }: Scope): string {
  return [
    through === null ? 'All documents' : `Documents through ${through}`,
    `in ${currency}`,
    ...(type === null ? [] : [`${typeWords[type].toLowerCase()} only`]),
    ...(project === null ? [] : [`project ${project} only`]),
  ].join(', ');
}
