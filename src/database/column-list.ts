/** SQL for columns of a relation under its alias. */
export function columnList(alias: string, columns: readonly string[]): string {
  return columns.map((column) => `${alias}.${column}`).join(', ');
}
