import { platformNames, storedEntityTypes, type PlatformName, type StoredEntityType } from '@app/mapper';
import { api } from '../app/api';

/** One record of a listing, as far as tests look at it; `data` and `platform_data` freely. */
export interface ListedObject {
  readonly id: string;
  readonly canonical_id: string;
  readonly platform: PlatformName;
  readonly entity_type: StoredEntityType;
  readonly data: ReturnType<typeof JSON.parse>;
  readonly platform_data: ReturnType<typeof JSON.parse>;
  readonly mappings: readonly { readonly platform: PlatformName; readonly platform_id: string }[];
}

type Api = ReturnType<typeof api>;

/** A listing, which must succeed. */
export async function listing(
  client: Api,
  platform: PlatformName,
  entityType: StoredEntityType,
): Promise<readonly ListedObject[]> {
  const answer = await client.get(`/objects?platform=${platform}&entity_type=${entityType}`);
  expect({ status: answer.status, error: answer.body.error }).toEqual({ status: 200, error: undefined });
  return answer.body.data;
}

/** The one record with a native ID. */
export async function listed(
  client: Api,
  platform: PlatformName,
  entityType: StoredEntityType,
  id: string,
): Promise<ListedObject> {
  const found = (await listing(client, platform, entityType)).filter((one) => one.id === id);
  const [only] = found;
  if (only === undefined || found.length > 1)
    throw new Error(`${platform} has ${found.length} ${entityType} ${id}`);
  return only;
}

/** Everything a customer can list, as text: byte by byte what came. */
export async function allListings(client: Api): Promise<Readonly<Record<string, string>>> {
  const texts: Record<string, string> = {};
  for (const platform of platformNames) {
    for (const entityType of storedEntityTypes) {
      texts[`${platform} ${entityType}`] = (
        await client.get(`/objects?platform=${platform}&entity_type=${entityType}`)
      ).text;
    }
  }
  return texts;
}

/** What stays in a listing of connections when they are read again and nothing has changed. */
export function withoutRuns({ connections }: { readonly connections: readonly object[] }): readonly object[] {
  return connections.map((connection) => ({ ...connection, last_synced_at: null, sync: null }));
}

/** Connects a platform, which must succeed. */
export async function connect(
  client: Api,
  platform: PlatformName,
): Promise<Readonly<Record<string, number>>> {
  const answer = await client.post('/connect', { platform });
  expect({ status: answer.status, error: answer.body.error }).toEqual({ status: 200, error: undefined });
  return answer.body.data.entities;
}
