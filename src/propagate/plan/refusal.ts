import type { FieldIssue } from '@app/mapper';

/**
 * Why a change is refused:
 * - `not_writable`: it sets a field that is read-only or does not exist, or too many values (400);
 * - `conflict`: the stored state does not allow it now (409);
 * - `untranslatable`: a value is invalid, or a rule of the customer forbids it (422).
 */
export type RefusalKind = 'not_writable' | 'conflict' | 'untranslatable';

/** A change that is refused. The planner throws it before anything is written. */
export class ChangeRefused extends Error {
  override readonly name = 'ChangeRefused';

  constructor(
    readonly kind: RefusalKind,
    message: string,
  ) {
    super(message);
  }
}

/** Maximum number of problems that a message names individually; the rest are counted. */
const MOST_NAMED = 20;

/** Fields that are read-only or do not exist, each named. */
export function notWritable(issues: readonly FieldIssue[]): ChangeRefused {
  return new ChangeRefused('not_writable', `Invalid input: ${listed(issues)}`);
}

/** The stored state does not allow the change now. */
export function conflicting(message: string): ChangeRefused {
  return new ChangeRefused('conflict', message);
}

/** Invalid values, each named by its field. */
export function untranslatable(issues: readonly FieldIssue[]): ChangeRefused {
  return new ChangeRefused('untranslatable', listed(issues));
}

function listed(issues: readonly FieldIssue[]): string {
  const lines = [...new Set(issues.map(({ path, problem }) => `data.${path}: ${problem}`))];
  const named = lines.slice(0, MOST_NAMED);
  const more = lines.length - named.length;
  return [...named, ...(more > 0 ? [`and ${more} more`] : [])].join('; ');
}
