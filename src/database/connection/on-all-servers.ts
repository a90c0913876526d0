/**
 * Statements that set a parameter until the transaction ends, on this server and on the other servers of a Citus cluster,
 * which plan and lock by parameters of their own. On a single PostgreSQL server the first statement has no effect.
 *
 * @param setting as in `lock_timeout = 200`
 */
export function settingsOnAllServers(setting: string): readonly string[] {
  return [`set local citus.propagate_set_commands = 'local'`, `set local ${setting}`];
}

/** Like {@link settingsOnAllServers}, as one text with several commands. It must be sent without parameters. */
export function setOnAllServers(setting: string): string {
  return settingsOnAllServers(setting).join('; ');
}
