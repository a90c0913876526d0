import { createHash } from 'node:crypto';

/** Texts that get a name; each costs every session a plan. The service has far fewer. */
const MOST_NAMES = 500;

/** The names under which sessions keep statements prepared. */
export class StatementNames {
  private readonly names = new Map<string, string>();

  /**
   * The name of a statement. It depends only on the text and is the same in every process. Undefined once there are more texts than
   * the service has, which means that texts are generated; such a statement is planned each time.
   */
  of(sql: string): string | undefined {
    const known = this.names.get(sql);
    if (known !== undefined || this.names.size >= MOST_NAMES) return known;
    // PostgreSQL cuts names at 63 characters.
    const name = createHash('sha256').update(sql).digest('base64url');
    this.names.set(sql, name);
    return name;
  }
}
