import { randomUUID } from 'node:crypto';
import type { Client } from 'pg';
import type { SentStatement } from './recording-proxy';

/** The statements of one request, as they can be sent again. */
export interface Recording {
  readonly statements: readonly SentStatement[];
  /** UUIDs that the request made up, which must be new each time. */
  readonly fresh: readonly string[];
}

const uuids = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;

/**
 * Makes recordings from requests that were made twice for the same object. Values that differ between the two belong to the
 * request. Only requests with the usual statements are kept; in others, occasional work of the service came in between.
 *
 * @throws when too few took the usual statements, since that would be no floor of what the service does
 */
export function recordingsOf(
  twice: readonly (readonly [readonly SentStatement[], readonly SentStatement[]])[],
): readonly Recording[] {
  const usual = mostFrequent(twice.map(([, second]) => signatureOf(second)));
  const kept = twice.filter(([, second]) => signatureOf(second) === usual);
  if (kept.length < twice.length / 2) throw new Error('The requests took too many different statements');
  return kept.map(([first, second]) => {
    const before = uuidsOf(first);
    return { statements: second, fresh: [...uuidsOf(second)].filter((uuid) => !before.has(uuid)) };
  });
}

/** Sends the statements of a recording, one after the other. */
export async function replay(client: Client, { statements, fresh }: Recording): Promise<void> {
  const renewed = new Map(fresh.map((uuid) => [uuid, randomUUID() as string]));
  const renew = (text: string) => text.replace(uuids, (uuid) => renewed.get(uuid) ?? uuid);
  for (const { text, name, values } of statements) {
    if (values === undefined) await client.query(text);
    else {
      const parameters = values.map((value) => value && renew(value));
      await client.query({ ...(name !== '' && { name }), text, values: parameters });
    }
  }
}

function uuidsOf(statements: readonly SentStatement[]): Set<string> {
  return new Set(
    statements.flatMap(({ values = [] }) => values.flatMap((value) => value?.match(uuids) ?? [])),
  );
}

function signatureOf(statements: readonly SentStatement[]): string {
  return statements.map(({ text }) => text).join('\n;\n');
}

function mostFrequent(texts: readonly string[]): string | undefined {
  const counts = new Map<string, number>();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  return [...counts].sort(([, left], [, right]) => right - left)[0]?.[0];
}
