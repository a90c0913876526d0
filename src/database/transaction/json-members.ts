/**
 * SQL for a JSON value whose members SQL can read. A text of a platform may have a NUL character or half of a surrogate pair.
 * The column keeps both as escapes, but PostgreSQL fails to read any member of such a value. Here U+FFFD stands in their place.
 *
 * @param json SQL of type json. `stringifyJson` has written its value, which escapes nothing else in these forms
 */
export function readableMembers(json: string): string {
  // An escape follows an even number of backslashes. Few values have any, and the search for two characters costs little.
  return `case when strpos((${json})::text, '\\u') = 0 then ${json} else regexp_replace((${json})::text,
    '(?<!\\\\)((?:\\\\\\\\)*)\\\\u(?:0000|d[89a-f][0-9a-f]{2})', '\\1\\\\ufffd', 'g')::json end`;
}
