import type { api } from '../app/api';

/** Names of members and parameters whose values identify something. */
const naming = /(^|_)(id|ids|canonical_id|cursor|digest|key|version|event_id|request_id|subject)$/;

/** Whether a text may be an identifier; words and short numbers are not. */
const isId = (text: string): boolean => /^[\w:.=+/-]{8,400}$/.test(text) && /\d/.test(text);

/** Collects the IDs in an answer, with the names of their members. */
function collectIds(value: unknown, found: Map<string, string>, name = ''): void {
  if (typeof value === 'string') {
    if (naming.test(name) && isId(value) && !found.has(value)) found.set(value, name);
  } else if (Array.isArray(value)) {
    for (const item of value) collectIds(item, found, name);
  } else if (typeof value === 'object' && value !== null) {
    for (const [member, inner] of Object.entries(value)) {
      if (isId(member) && /^[a-z]+_[0-9a-f]{16,}$/.test(member) && !found.has(member))
        found.set(member, 'id');
      collectIds(inner, found, member);
    }
  }
}

/**
 * The IDs that a customer can read: those in its lists, and those in the objects that the lists name.
 *
 * @param rows the number of rows of each list of objects, changes and cases
 */
export async function readIds(
  client: ReturnType<typeof api>,
  rows: number,
): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  const look = async (path: string): Promise<void> => {
    const { status, body } = await client.get(path);
    if (status === 200) collectIds(body, found);
  };
  for (const platform of ['platform_a', 'platform_b'])
    for (const type of ['project', 'customer', 'contract', 'invoice', 'payment'])
      await look(`/objects?platform=${platform}&entity_type=${type}&limit=${rows}`);
  for (const path of [
    '/connections',
    `/propagations?limit=${rows}`,
    '/reconciliation',
    `/reconciliation/cases?limit=${rows}`,
    `/reconciliation/decisions?limit=${rows}`,
    `/reconciliation/signoffs?limit=${rows}`,
    '/events?limit=20',
    '/webhook-endpoints',
    '/fields',
    '/me',
  ])
    await look(path);
  const ofKind = (form: RegExp, path: (id: string) => string) =>
    [...found.keys()].filter((id) => form.test(id)).map(path);
  const more = [
    ...ofKind(/^[a-z]+_[0-9a-f]{16,}$/, (id) => `/objects/${id}`),
    ...ofKind(/^[a-z]+_[0-9a-f]{16,}$/, (id) => `/objects/${id}/history?limit=2`),
    ...ofKind(/^case_/, (id) => `/reconciliation/cases/${encodeURIComponent(id)}`),
    ...ofKind(/^[0-9a-f-]{36}$/, (id) => `/propagations/${id}`),
    ...ofKind(/^[0-9a-f-]{36}$/, (id) => `/reconciliation/signoffs/${id}`),
    ...ofKind(/^[0-9a-f-]{36}$/, (id) => `/webhook-endpoints/${id}/deliveries`),
  ];
  for (const path of more) await look(path);
  return found;
}

/** An ID of the same form that identifies nothing: each digit, and each letter after the first, is replaced. */
export function madeUp(id: string): string {
  const prefix = /^[a-z]+_(?=[0-9A-Za-z])/.exec(id)?.[0] ?? '';
  const rest = id.slice(prefix.length);
  return (
    prefix +
    rest.replace(/[0-9a-f]/g, (digit, place: number) => {
      // The digits of a GUID for its version and variant stay.
      if (/^[0-9a-f]{8}-/.test(rest) && (place === 14 || place === 19)) return digit;
      return /\d/.test(digit)
        ? String((Number(digit) + 3) % 10)
        : String.fromCharCode(97 + ((digit.charCodeAt(0) - 97 + 2) % 6));
    })
  );
}
