import type { PlatformName } from '@app/mapper';
import type { Store } from '../../database/transaction/store';
import { columns, commandFrom, type CommandRow } from './command-row';
import type { StoredCommand } from './outbox-command';

/** Some commands of a customer. */
export async function commandsById(
  store: Store,
  customerId: string,
  ids: readonly string[],
): Promise<readonly StoredCommand[]> {
  if (ids.length === 0) return [];
  const rows = await store.query<CommandRow>(
    `select ${columns} from outbox_commands where customer_id = $1 and id = any($2) order by seq`,
    [customerId, ids],
  );
  return rows.map(commandFrom);
}

/** The object that a command is for now; undefined when there is no such command. Objects may have become one. */
export async function objectOf(store: Store, customerId: string, id: string): Promise<string | undefined> {
  const [row] = await store.query<{ canonical_id: string }>(
    'select canonical_id from outbox_commands where customer_id = $1 and id = $2',
    [customerId, id],
  );
  return row?.canonical_id;
}

/** A command, locked; undefined when it is decided or claimed by somebody else by now. */
export async function lockOwn(
  store: Store,
  customerId: string,
  id: string,
  owner: string,
): Promise<StoredCommand | undefined> {
  const [row] = await store.query<CommandRow>(
    `select ${columns} from outbox_commands
     where customer_id = $1 and id = $2 and lease_owner = $3 and decided_at is null for update`,
    [customerId, id, owner],
  );
  return row && commandFrom(row);
}

/** Open commands of an object, in the order in which they are sent. */
export async function openCommands(
  store: Store,
  customerId: string,
  canonicalId: string,
): Promise<readonly StoredCommand[]> {
  const rows = await store.query<CommandRow>(
    `select ${columns} from outbox_commands
     where customer_id = $1 and canonical_id = $2 and decided_at is null order by seq`,
    [customerId, canonicalId],
  );
  return rows.map(commandFrom);
}

/** Those of them that were accepted after a command. */
export async function openBehind(
  store: Store,
  customerId: string,
  { id, canonicalId }: Pick<StoredCommand, 'id' | 'canonicalId'>,
): Promise<readonly StoredCommand[]> {
  const rows = await store.query<CommandRow>(
    `select ${columns} from outbox_commands c
     where c.customer_id = $1 and c.canonical_id = $2 and c.decided_at is null
       and c.seq > (select e.seq from outbox_commands e where e.customer_id = $1 and e.id = $3)
     order by c.seq`,
    [customerId, canonicalId, id],
  );
  return rows.map(commandFrom);
}

/** The first open command for a live platform, locked; undefined when none is left. */
export async function firstOpenLive(
  store: Store,
  customerId: string,
  platform: PlatformName,
): Promise<StoredCommand | undefined> {
  const [row] = await store.query<CommandRow>(
    `select ${columns} from outbox_commands
     where customer_id = $1 and platform = $2 and mode = 'live' and decided_at is null order by seq limit 1 for update`,
    [customerId, platform],
  );
  return row && commandFrom(row);
}

/** Commands of a change, in the order in which they are sent. */
export async function commandsOf(
  store: Store,
  customerId: string,
  propagationId: string,
): Promise<readonly StoredCommand[]> {
  const rows = await store.query<CommandRow>(
    `select ${columns} from outbox_commands where customer_id = $1 and propagation_id = $2 order by position`,
    [customerId, propagationId],
  );
  return rows.map(commandFrom);
}
