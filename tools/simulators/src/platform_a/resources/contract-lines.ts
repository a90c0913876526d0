import { ownMember, times, type JsonObject, type JsonValue } from '@app/mapper';
import { amountOf, amountText } from '../amounts';
import type { Call } from '../call';
import { byId, byTime } from '../filters';
import { idText } from '../ids';
import { created, deleted, ok, type Operations } from '../operations';
import { notFound, refuseFields } from '../refusals';
import { withContractTotals } from '../totals';
import type { World } from '../world';
import { lineFields, type ContractFamily } from './contract-fields';
import { currentContract, isIn, isLockedByStatus, linesOf, refuseLocked } from './contract-scope';
import { syncReply } from './sync';
import { isBlank, read } from './writing';

const filters = {
  id: byId('id'),
  created_at: byTime('created_at'),
  updated_at: byTime('updated_at'),
  cost_code_id: byId('cost_code.id'),
  line_item_type_id: byId('line_item_type.id'),
};

/** The schedule of values of a contract. Its sum is the contract's amount. */
export function addContractLines(operations: Operations, family: ContractFamily): void {
  const path = `/rest/v1.0/${family.kind}/{contract_id}/line_items`;
  operations
    .route('GET', path, {
      scope: 'project_query',
      tool: 'commitments',
      run: (call) =>
        call.list({
          name: 'line_items',
          rows: linesOf(seenContract(call, family)),
          filters,
          show: (line) => line,
        }),
    })
    .route('POST', path, {
      scope: 'project_body',
      tool: 'commitments',
      run: (call) => {
        const contract = writableContract(call, family);
        const line = newLine(call.world, contract, call.wrapped('line_item'));
        saveLines(call.world, family, contract, [...linesOf(contract), line]);
        return created(line);
      },
    })
    .route('PATCH', `${path}/sync`, {
      scope: 'project_query',
      tool: 'commitments',
      run: (call) => sync(call, family),
    })
    .route('GET', `${path}/{id}`, {
      scope: 'project_query',
      tool: 'commitments',
      run: (call) => ok(lineIn(seenContract(call, family), call.path('id'))),
    })
    .route('PATCH', `${path}/{id}`, {
      scope: 'project_body',
      tool: 'commitments',
      run: (call) => {
        const contract = writableContract(call, family);
        const before = lineIn(contract, call.path('id'));
        const line = changedLine(call.world, contract, before, call.wrapped('line_item'));
        saveLines(
          call.world,
          family,
          contract,
          linesOf(contract).map((other) => (other === before ? line : other)),
        );
        return ok(line);
      },
    })
    .route('DELETE', `${path}/{id}`, {
      scope: 'project_query',
      tool: 'commitments',
      run: (call) => {
        const contract = writableContract(call, family);
        const gone = lineIn(contract, call.path('id'));
        saveLines(
          call.world,
          family,
          contract,
          linesOf(contract).filter((line) => line !== gone),
        );
        return deleted;
      },
    });
}

function sync(call: Call, family: ContractFamily): ReturnType<typeof syncReply> {
  const { world } = call;
  let contract = writableContract(call, family);
  const keep = (lines: readonly JsonObject[]): void => {
    contract = saveLines(world, family, contract, lines);
  };
  return syncReply(call, {
    tooMany: 413,
    byId: (id) => linesOf(contract).find((line) => idText(line['id']) === id),
    byOrigin: (origin) => linesOf(contract).find((line) => line['origin_id'] === origin),
    create: (attributes) => {
      const line = newLine(world, contract, attributes);
      keep([...linesOf(contract), line]);
      return line;
    },
    update: (current, attributes) => {
      const line = changedLine(world, contract, current, attributes);
      keep(linesOf(contract).map((other) => (other === current ? line : other)));
      return line;
    },
  });
}

function seenContract(call: Call, { kind }: ContractFamily): JsonObject {
  return call.seen(kind, call.path('contract_id'), (row) => isIn(call)(row) && isBlank(row['deleted_at']));
}

function writableContract(call: Call, family: ContractFamily): JsonObject {
  const contract = currentContract(call, family, 'contract_id');
  if (isLockedByStatus(call.world, contract)) throw refuseLocked();
  return contract;
}

function lineIn(contract: JsonObject, id: string): JsonObject {
  const line = linesOf(contract).find((candidate) => idText(candidate['id']) === id);
  if (line === undefined) throw notFound();
  return line;
}

/** Keeps the lines of a contract, and what follows from them. */
export function saveLines(
  world: World,
  { kind }: ContractFamily,
  contract: JsonObject,
  lines: readonly JsonObject[],
  own = true,
): JsonObject {
  const placed = lines.map((line, place): JsonObject => ({ ...line, position: place + 1 }));
  const stamp: JsonObject = world.core.switches.get('linesTouchContract')
    ? { updated_at: world.stamp() }
    : {};
  return world.save(kind, withContractTotals({ ...contract, line_items: placed, ...stamp }), 'update', {
    own,
  });
}

function newLine(world: World, contract: JsonObject, sent: JsonObject): JsonObject {
  const stamp = world.stamp();
  const isCalculated =
    ownMember(sent, 'quantity') !== undefined && ownMember(sent, 'unit_cost') !== undefined;
  const empty: JsonObject = {
    id: world.ids.next(),
    position: linesOf(contract).length + 1,
    description: null,
    amount: '0.0',
    quantity: '0.0',
    unit_cost: '0.0',
    uom: null,
    total_amount: '0.0',
    extended_amount: '0.0',
    extended_type: isCalculated ? 'calculated' : 'manual',
    cost_code: null,
    wbs_code: null,
    line_item_type: null,
    tax_code_id: null,
    origin_id: null,
    origin_data: null,
    created_at: stamp,
    updated_at: stamp,
  };
  return writtenLine(world, contract, empty, sent);
}

function changedLine(world: World, contract: JsonObject, before: JsonObject, sent: JsonObject): JsonObject {
  return { ...writtenLine(world, contract, before, sent), updated_at: world.stamp() };
}

function writtenLine(world: World, contract: JsonObject, before: JsonObject, sent: JsonObject): JsonObject {
  const { plain } = read(world, sent, lineFields, before);
  const shown = Object.fromEntries(
    Object.entries(plain).map(([name, value]) => {
      const code = /^(cost_code|wbs_code|line_item_type)_id$/.exec(name)?.[1];
      return code === undefined ? [name, value] : [code, codeOf(contract, code, value)];
    }),
  );
  const line: JsonObject = { ...before, ...shown };
  const origin = line['origin_id'];
  if (
    !isBlank(origin) &&
    linesOf(contract).some((other) => other['origin_id'] === origin && other['id'] !== line['id'])
  ) {
    throw refuseFields({ origin_id: ['has already been taken'] });
  }
  const isRecomputed =
    line['extended_type'] === 'calculated' && world.core.switches.get('calculatedLines') === 'recomputed';
  const amount = isRecomputed
    ? amountText(times(amountOf(line['quantity']), amountOf(line['unit_cost'])))
    : (line['amount'] ?? '0.0');
  return { ...line, amount, total_amount: amount, extended_amount: amount };
}

// A code is shown as another line of the contract shows it, where one has it.
function codeOf(contract: JsonObject, code: string, id: JsonValue): JsonValue {
  if (id === null) return null;
  const known = linesOf(contract)
    .map((line) => line[code])
    .find(
      (shown) =>
        typeof shown === 'object' && shown !== null && idText((shown as JsonObject)['id']) === idText(id),
    );
  return known ?? { id };
}
