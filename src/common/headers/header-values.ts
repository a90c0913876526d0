import type { IncomingMessage } from 'node:http';

/**
 * The values of a header, one for each time that it was given. Node's `headers` keeps only the first of some, such as `Host`
 * and `Authorization`; its `headersDistinct` sorts all headers of a request to tell about one.
 *
 * @param name in lower case
 */
export function headerValues(
  { rawHeaders }: Pick<IncomingMessage, 'rawHeaders'>,
  name: string,
): readonly string[] {
  const values: string[] = [];
  // Names and values in turns.
  for (let place = 0; place < rawHeaders.length; place += 2) {
    const given = rawHeaders[place] ?? '';
    if (given.length === name.length && given.toLowerCase() === name)
      values.push(rawHeaders[place + 1] ?? '');
  }
  return values;
}
