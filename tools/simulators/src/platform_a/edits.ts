import {
  isJsonArray,
  isJsonObject,
  ownMember,
  setMember,
  type JsonObject,
  type JsonValue,
} from '@app/mapper';
import { ControlError, type Edit } from '../server';
import { idText } from './ids';
import type { TokenDesk } from './oauth';
import type { RequestCounter } from './request-counter';
import { families } from './resources/contract-fields';
import { saveLines } from './resources/contract-lines';
import { linesOf } from './resources/contract-scope';
import { addToContract } from './resources/payments';
import { objectsIn } from './totals';
import type { Deliveries } from './webhooks/delivery';
import { isKind, keyOf, kinds, type Kind, type World } from './world';

interface Edited {
  readonly world: World;
  readonly tokens: TokenDesk;
  readonly counter: RequestCounter;
  readonly deliveries: Deliveries;
}

/** What happens to the platform from elsewhere. */
export function editsOf({ world, tokens, counter, deliveries }: Edited): Readonly<Record<string, Edit>> {
  const stamped = (): JsonObject => ({ updated_at: world.stamp() });
  return {
    read_records: {
      about: 'Gives all records of a resource as they are: {kind}',
      run: (input) => {
        const kind = ownMember(input, 'kind');
        if (!isKind(kind)) throw new ControlError(`"kind" is one of ${kinds.join(', ')}`);
        return world.tables[kind].all();
      },
    },
    change_record: {
      about:
        'Edits a record, as a user at a screen does: {kind, id, set: {field: value, "a.b": value}, quiet?}; quiet leaves updated_at as it is',
      run: (input) => {
        const { kind, record } = recordIn(world, input);
        const set = ownMember(input, 'set');
        if (!isJsonObject(set)) throw new ControlError('"set" is an object of fields');
        const stamp = ownMember(input, 'quiet') === true ? {} : stamped();
        const changed = { ...withFields(record, set), ...stamp };
        world.save(kind, changed, 'update', { own: false });
        if (kind === 'contract_payments') addToContract(world, record, changed);
        return changed;
      },
    },
    change_line: {
      about:
        'Edits a line, as a user at a screen does: {contract_id, line_id?, set: {amount, …}}; the contract follows. The first line without line_id',
      run: (input) => {
        const found = world.contract(idIn(input, 'contract_id'));
        const family = families.find(({ kind }) => kind === found?.kind);
        if (found === undefined || family === undefined) throw new ControlError('There is no such contract');
        const lines = linesOf(found.record);
        const lineId =
          ownMember(input, 'line_id') === undefined ? idText(lines[0]?.['id']) : idIn(input, 'line_id');
        const set = ownMember(input, 'set');
        if (!isJsonObject(set)) throw new ControlError('"set" is an object of fields');
        const changed = lines.map((line) =>
          idText(line['id']) === lineId ? { ...withFields(line, set), ...stamped() } : line,
        );
        return saveLines(world, family, found.record, changed, false);
      },
    },
    insert_record: {
      about:
        'Adds records like an existing record: {kind, like, count?, set?, at?: "start"|"end" of lists}; gives their IDs',
      run: (input) => {
        const { kind, record } = recordIn(world, { ...input, id: ownMember(input, 'like') ?? null });
        const set = ownMember(input, 'set');
        const count = Number(ownMember(input, 'count') ?? 1);
        const ids = Array.from({ length: count }, () => {
          const made = {
            ...withFields(withNewParts(world, record), isJsonObject(set) ? set : {}),
            id: world.ids.next(),
            created_at: world.stamp(),
            ...stamped(),
          };
          const atStart = ownMember(input, 'at') === 'start';
          world.save(kind, made, 'create', { own: false, atStart });
          if (kind === 'contract_payments') addToContract(world, undefined, made);
          return made['id'] ?? null;
        });
        return { ids };
      },
    },
    delete_record: {
      about: 'Deletes a record for good: {kind, id}',
      run: (input) => {
        const { kind, record } = recordIn(world, input);
        world.remove(kind, record, false);
        if (kind === 'contract_payments') addToContract(world, record, undefined);
        return {};
      },
    },
    hide_record: {
      about: 'The account may no longer see a record: {kind, id, hidden?: false}',
      run: (input) => {
        const { kind, record } = recordIn(world, input);
        return toggle(world.hidden, keyOf(kind, record), ownMember(input, 'hidden') !== false);
      },
    },
    lock_record: {
      about: 'Locks a record against writes: {kind, id, locked?: false}',
      run: (input) => {
        const { kind, record } = recordIn(world, input);
        return toggle(world.locked, keyOf(kind, record), ownMember(input, 'locked') !== false);
      },
    },
    switch_tool: {
      about:
        'A tool goes off in a project: {project_id, tool: commitments|invoicing|directory, on?: true, status?}',
      run: (input) => {
        const tool = ownMember(input, 'tool');
        if (typeof tool !== 'string' || !['commitments', 'invoicing', 'directory'].includes(tool)) {
          throw new ControlError('"tool" is commitments, invoicing or directory');
        }
        const key = `${idIn(input, 'project_id')}:${tool}`;
        const status = Number(ownMember(input, 'status') ?? world.core.switches.get('toolOffStatus'));
        if (ownMember(input, 'on') === true) world.toolsOff.delete(key);
        else world.toolsOff.set(key, status);
        return {};
      },
    },
    permit_projects: {
      about: 'The projects that the account may see: {project_ids: [..] or null for all}',
      run: (input) => {
        const ids = ownMember(input, 'project_ids');
        if (!isJsonArray(ids) && ids !== null) throw new ControlError('"project_ids" is a list or null');
        world.permitted = ids === null ? undefined : new Set(ids.map((id) => idText(id) ?? ''));
        return {};
      },
    },
    connect_app: {
      about: 'The company takes the app out, or in again: {connected: boolean}',
      run: (input) => {
        world.isConnected = ownMember(input, 'connected') !== false;
        return {};
      },
    },
    expire_tokens: {
      about: 'All access tokens end now',
      run: () => {
        tokens.expireAll();
        return {};
      },
    },
    spend_requests: {
      about: 'Other programs of the company use up requests: {count}',
      run: (input) => {
        for (let spent = 0; spent < Number(ownMember(input, 'count') ?? 0); spent += 1)
          counter.count(world.company.id);
        return {};
      },
    },
    repeat_events: {
      about: 'The last event of each hook is delivered once more',
      run: () => ({ repeated: deliveries.repeatLast() }),
    },
  };
}

function recordIn(world: World, input: JsonObject): { readonly kind: Kind; readonly record: JsonObject } {
  const kind = ownMember(input, 'kind');
  if (!isKind(kind)) throw new ControlError(`"kind" is one of ${kinds.join(', ')}`);
  const id = idIn(input, 'id');
  const record =
    kind === 'project_vendors'
      ? world.tables[kind].all().find((row) => idText(row['id']) === id)
      : world.tables[kind].get(id);
  if (record === undefined) throw new ControlError(`There is no such record in ${kind}`);
  return { kind, record };
}

// Lines and items have IDs of their own, which no two records share.
function withNewParts(world: World, record: JsonObject): JsonObject {
  const parts = (['line_items', 'items'] as const)
    .filter((name) => ownMember(record, name) !== undefined)
    .map((name) => [name, objectsIn(record, name).map((part) => ({ ...part, id: world.ids.next() }))]);
  return { ...record, ...(Object.fromEntries(parts) as JsonObject) };
}

function idIn(input: JsonObject, member: string): string {
  const id = idText(ownMember(input, member));
  if (id === undefined) throw new ControlError(`"${member}" is an ID`);
  return id;
}

function toggle(set: Set<string>, key: string, isIn: boolean): JsonObject {
  if (isIn) set.add(key);
  else set.delete(key);
  return {};
}

function withFields(record: JsonObject, set: JsonObject): JsonObject {
  return Object.entries(set).reduce<JsonObject>(
    (changed, [path, value]) => withField(changed, path.split('.'), value),
    record,
  );
}

function withField(
  record: JsonObject,
  [name = '', ...rest]: readonly string[],
  value: JsonValue,
): JsonObject {
  const copy: Record<string, JsonValue> = { ...record };
  const inner = ownMember(record, name);
  const shown = rest.length === 0 ? value : withField(isJsonObject(inner) ? inner : {}, rest, value);
  setMember(copy, name, shown);
  return copy;
}
