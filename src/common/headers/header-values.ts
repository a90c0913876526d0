import type { IncomingMessage } from 'node:http';

/**
 * The values of a header, one for each occurrence. Node's `headers` keeps only the first value of some headers, such as
 * `Host` and `Authorization`; its `headersDistinct` processes all headers of a request to return one.
 *
 * @param name in lower case
 */
export function headerValues(
  { rawHeaders }: Pick<IncomingMessage, 'rawHeaders'>,
  name: string,
): readonly string[] {
  const values: string[] = [];
  // Names and values alternate.
  for (let place = 0; place < rawHeaders.length; place += 2) {
    const given = rawHeaders[place] ?? '';
    if (given.length === name.length && given.toLowerCase() === name)
      values.push(rawHeaders[place + 1] ?? '');
  }
  return values;
}
