/**
 * Statements that set something until the transaction ends, on this server and on those of a Citus cluster, which plan and
 * lock by settings of their own. On one PostgreSQL the first of them sets a name that nothing reads.
 *
 * @param setting as in `lock_timeout = 200`
 */
export function settingsOnAllServers(setting: string): readonly string[] {
  return [`set local citus.propagate_set_commands = 'local'`, `set local ${setting}`];
}

/** The same statements as one text, for a statement without parameters. */
export function setOnAllServers(setting: string): string {
  return settingsOnAllServers(setting).join('; ');
}
