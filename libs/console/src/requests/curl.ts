/** A request, without its key. */
export interface SentRequest {
  readonly method: string;
  readonly url: string;
  /** Headers that the request needs beside the key, by name. */
  readonly headers: Readonly<Record<string, string>>;
  /** JSON text. */
  readonly body: string | undefined;
}

/** The request as a command of a POSIX shell. The key is the variable KEY of the shell that runs it. */
export function curlOf({ method, url, headers, body }: SentRequest): string {
  const parts = [
    `curl -X ${method} ${quoted(url)}`,
    '-H "Authorization: Bearer $KEY"',
    ...Object.entries(headers).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    ...(body === undefined ? [] : [`-d ${quoted(body)}`]),
  ];
  return parts.join(' \\\n  ');
}

/** Text in single quotes, in which a shell reads nothing but a quote. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
