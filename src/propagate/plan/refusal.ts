import type { FieldIssue } from '@app/mapper';

/** Why a change cannot be made: a read-only field, a clash with what is stored, a value that does not fit. */
export type RefusalKind = 'not_writable' | 'conflict' | 'untranslatable';

/** A change that cannot be made. Whoever plans it throws this before anything is written. */
export class ChangeRefused extends Error {
  override readonly name = 'ChangeRefused';

  constructor(
    readonly kind: RefusalKind,
    message: string,
  ) {
    super(message);
  }
}

/** Problems that a message names one by one; the rest are counted. */
const MOST_NAMED = 20;

/** A field that is read-only or does not exist. */
export function notWritable(path: string, why: string): ChangeRefused {
  return new ChangeRefused('not_writable', `Invalid input: data.${path}: ${why}`);
}

/** What is stored does not allow the change now. */
export function conflicting(message: string): ChangeRefused {
  return new ChangeRefused('conflict', message);
}

/** Values that cannot be taken over, each named by its field. */
export function untranslatable(issues: readonly FieldIssue[]): ChangeRefused {
  const named = issues.slice(0, MOST_NAMED).map(({ path, problem }) => `data.${path}: ${problem}`);
  const more = issues.length - named.length;
  return new ChangeRefused(
    'untranslatable',
    [...named, ...(more > 0 ? [`and ${more} more`] : [])].join('; '),
  );
}
