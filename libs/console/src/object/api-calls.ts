/** A call of the API that shows what a view of an object shows. */
export interface ApiCall {
  readonly what: string;
  /** Behind the address of the service. */
  readonly path: string;
  /** A line of TypeScript with the client. */
  readonly code: string;
}

/** The calls behind the views of an object, as of a time if one is given. */
export function apiCallsOf(id: string, asOf: string | undefined): readonly ApiCall[] {
  const path = `/api/v1/objects/${encodeURIComponent(id)}`;
  const time = asOf === undefined ? '' : `?as_of=${encodeURIComponent(asOf)}`;
  const options = asOf === undefined ? '' : `, { asOf: ${quoted(asOf)} }`;
  return [
    {
      what: 'Fields, records, evidence',
      path: path + time,
      code: `const object = await client.object(${quoted(id)}${options});`,
    },
    {
      what: 'History, newest first',
      path: `${path}/history?limit=50`,
      code: `for await (const entry of client.allObjectHistory(${quoted(id)})) console.log(entry.at, entry.origin.type);`,
    },
  ];
}

/** Text as a literal of TypeScript. */
function quoted(text: string): string {
  return `'${text.replaceAll(/[\\']/g, (one) => `\\${one}`).replaceAll('\n', '\\n')}'`;
}
