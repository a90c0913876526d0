/**
 * SQL for a parameter that holds a list of text, in a statement that requests send with a few values. In a subquery the planner
 * cannot count them. It would make a plan for each short list, which takes longer than to run the statement.
 *
 * @param parameter such as `$2`
 */
export function listParameter(parameter: string): string {
  return `(select ${parameter}::text[])::text[]`;
}
