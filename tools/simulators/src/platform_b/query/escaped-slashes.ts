import { ODataError } from '../odata-error';

/**
 * A slash that is escaped inside a value breaks a filter; one that stands as it is does not.
 *
 * @param rawQuery the query as it was sent
 * @throws ODataError 400
 */
export function refuseEscapedSlashes(rawQuery: string): void {
  for (const pair of rawQuery.split('&')) {
    const [name = '', ...value] = pair.split('=');
    if (!/^(\$|%24)filter$/i.test(name) || !hasEscapedSlash(value.join('='))) continue;
    throw new ODataError(400, 'Application_FilterErrorException', 'The filter is not valid.');
  }
}

/** Whether a text between quotes has one. Two quotes inside a text are one quote, which changes nothing here. */
function hasEscapedSlash(filter: string): boolean {
  const values = filter.replaceAll(/%27/g, "'").split("'");
  return values.some((part, place) => place % 2 === 1 && /%2f/i.test(part));
}
