/**
 * SQL for a JSON value whose members SQL can read. A platform's text may contain a NUL character or half of a surrogate
 * pair. The column stores both as escapes, but PostgreSQL fails to read any member of such a value. The result has U+FFFD
 * in their place.
 *
 * @param json SQL of type json, whose value `stringifyJson` has written. It writes no other escapes of this form
 */
export function readableMembers(json: string): string {
  // An escape follows an even number of backslashes. Few values have any, and the search for two characters costs little.
  return `case when strpos((${json})::text, '\\u') = 0 then ${json} else regexp_replace((${json})::text,
    '(?<!\\\\)((?:\\\\\\\\)*)\\\\u(?:0000|d[89a-f][0-9a-f]{2})', '\\1\\\\ufffd', 'g')::json end`;
}
