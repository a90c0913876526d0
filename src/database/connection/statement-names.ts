import { hash } from 'node:crypto';

/** The most statements that get a name, because every session keeps a plan for each. The service has far fewer. */
const MOST_NAMES = 500;

/** The names under which sessions keep statements prepared. */
export class StatementNames {
  private readonly names = new Map<string, string>();

  /**
   * The name of a statement. It depends only on the text and is the same in every process. Undefined once
   * {@link MOST_NAMES} texts have names: so many texts can only be generated ones. A statement without a name is planned
   * each time.
   */
  of(sql: string): string | undefined {
    const known = this.names.get(sql);
    if (known !== undefined || this.names.size >= MOST_NAMES) return known;
    // PostgreSQL cuts names at 63 characters.
    const name = hash('sha256', sql, 'base64url');
    this.names.set(sql, name);
    return name;
  }
}
