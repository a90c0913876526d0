/**
 * SQL for a parameter that holds a short list of texts. The subquery hides the length of the list from the planner, which
 * would otherwise make a new plan for each list. That takes longer than running the statement.
 *
 * @param parameter such as `$2`
 */
export function listParameter(parameter: string): string {
  return `(select ${parameter}::text[])::text[]`;
}
