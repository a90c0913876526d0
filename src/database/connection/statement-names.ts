import { createHash } from 'node:crypto';

/** Texts that get a name; each costs every session a plan. The service has far fewer. */
const MOST_NAMES = 500;

const names = new Map<string, string>();

/**
 * The name under which sessions keep a statement prepared: the same for the same text, in every process. Undefined when
 * there are so many texts that somebody seems to make them up; such a statement is planned each time.
 */
export function statementName(sql: string): string | undefined {
  const known = names.get(sql);
  if (known !== undefined || names.size >= MOST_NAMES) return known;
  // PostgreSQL cuts names at 63 characters.
  const name = createHash('sha256').update(sql).digest('base64url');
  names.set(sql, name);
  return name;
}
