import type { JsonObject, JsonValue } from '@app/mapper';
import type { Call } from '../call';
import { byId, byText, byTime, filtersIn } from '../filters';
import { idText, idValue } from '../ids';
import { created, deleted, ok, type Operations } from '../operations';
import { refuseFields } from '../refusals';
import { objectAt, withContractTotals } from '../totals';
import { contractListViews, viewOf } from '../views';
import { directoryKey, type World } from '../world';
import { families, type ContractFamily } from './contract-fields';
import { addContractLines } from './contract-lines';
import { currentContract, isIn, isLockedByStatus, refuseLocked } from './contract-scope';
import { syncReply } from './sync';
import { blank, checkOrigin, isBlank, read } from './writing';
import { textOf } from '../text';

const filters = {
  id: byId('id'),
  status: byText('status'),
  created_at: byTime('created_at'),
  updated_at: byTime('updated_at'),
  origin_id: byText('origin_id'),
  include_deleted: () => true,
};

export function addContracts(operations: Operations): void {
  for (const family of families) {
    addFamily(operations, family);
    addContractLines(operations, family);
  }
  operations.route('GET', '/rest/v1.0/commitments', {
    scope: 'project_query',
    tool: 'commitments',
    run: (call) =>
      call.list({
        name: 'commitments',
        rows: families
          .flatMap(({ kind }) => call.world.tables[kind].seenIn(call.project))
          .filter((row) => isBlank(row['deleted_at'])),
        show: (row) => {
          const vendor = objectAt(row, 'vendor');
          const named = { id: vendor['id'] ?? null, name: vendor['company'] ?? null };
          return { ...contractListed(row), vendor: isBlank(vendor['id']) ? null : named };
        },
      }),
  });
}

function addFamily(operations: Operations, family: ContractFamily): void {
  const { kind, wrapper } = family;
  const path = `/rest/v1.0/${kind}`;
  operations
    .route('GET', path, { scope: 'project_query', tool: 'commitments', run: (call) => list(call, family) })
    .route('POST', path, {
      scope: 'project_body',
      tool: 'commitments',
      run: (call) => created(createContract(call.world, family, call.project, call.wrapped(wrapper))),
    })
    .route('PATCH', `${path}/sync`, {
      scope: 'project_body',
      tool: 'commitments',
      run: (call) => {
        const { world, project } = call;
        const rows = () => world.tables[kind].in(project).filter((row) => isBlank(row['deleted_at']));
        return syncReply(call, {
          byId: (id) => rows().find((row) => idText(row['id']) === id),
          byOrigin: (origin) => rows().find((row) => row['origin_id'] === origin),
          create: (attributes) => createContract(world, family, project, attributes),
          update: (current, attributes) => updateContract(world, family, current, attributes),
        });
      },
    })
    .route('GET', `${path}/{id}`, {
      scope: 'project_query',
      tool: 'commitments',
      run: (call) => {
        const showsDeleted = call.world.core.switches.get('deletedContractShow') === 200;
        return ok(
          call.seen(
            kind,
            call.path('id'),
            (row) => isIn(call)(row) && (showsDeleted || isBlank(row['deleted_at'])),
          ),
        );
      },
    })
    .route('PATCH', `${path}/{id}`, {
      scope: 'project_body',
      tool: 'commitments',
      run: (call) =>
        ok(updateContract(call.world, family, currentContract(call, family), call.wrapped(wrapper))),
    })
    .route('DELETE', `${path}/{id}`, {
      scope: 'project_query',
      tool: 'commitments',
      run: (call) => {
        const { world } = call;
        const contract = currentContract(call, family);
        if (isLockedByStatus(world, contract)) throw refuseLocked();
        const stamp = world.stamp();
        world.save(kind, { ...contract, deleted_at: stamp, updated_at: stamp }, 'delete');
        return deleted;
      },
    });
}

function list(call: Call, { kind }: ContractFamily): ReturnType<Call['list']> {
  const { world, project } = call;
  const included = filtersIn(call.request.query).get('include_deleted')?.at(-1);
  const rows = world.tables[kind].seenIn(project).filter((row) => {
    const isDeleted = !isBlank(row['deleted_at']);
    return included === 'only' ? isDeleted : included === 'with' || !isDeleted;
  });
  const withLines = world.core.switches.get('linesInContractLists');
  const view = viewOf(contractListViews, 'compact', call.query('view'));
  const show = (row: JsonObject): JsonValue => view(withLines ? row : contractListed(row));
  return call.list({ name: kind, rows, filters, show });
}

function contractListed(row: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(row).filter(([name]) => name !== 'line_items'));
}

function createContract(world: World, family: ContractFamily, project: string, sent: JsonObject): JsonObject {
  const parent = world.tables.projects.get(project) ?? {};
  const empty: JsonObject = {
    ...blank(world, 'contract'),
    ...family.extra,
    number: nextNumber(world, family, parent),
    project: { id: idValue(project), name: parent['name'] ?? null },
    vendor: null,
  };
  const contract = withContractTotals(written(world, family, empty, sent));
  return world.save(family.kind, contract, 'create');
}

function updateContract(
  world: World,
  family: ContractFamily,
  current: JsonObject,
  sent: JsonObject,
): JsonObject {
  const contract = written(world, family, current, sent);
  const before = idText(objectAt(current, 'vendor')['id']);
  if (idText(objectAt(contract, 'vendor')['id']) !== before && isLockedByStatus(world, current)) {
    throw refuseLocked();
  }
  return world.save(family.kind, { ...contract, updated_at: world.stamp() }, 'update');
}

function written(world: World, family: ContractFamily, current: JsonObject, sent: JsonObject): JsonObject {
  const { plain, custom } = read(world, sent, family.fields, current);
  const { vendor_id: vendorId, assignee_id: assigneeId, ...others } = plain;
  const { currency_iso_code: code, currency_exchange_rate: rate, ...rest } = others;
  const shown = Object.entries(rest).filter(
    ([name]) => !['invoice_contact_user_ids', 'upload_ids'].includes(name),
  );
  const contract: JsonObject = {
    ...current,
    ...Object.fromEntries(shown),
    ...custom,
    ...currencyOf(world, current, { code, rate }),
    ...(vendorId === undefined ? {} : { vendor: vendorOf(world, current, vendorId) }),
    ...(assigneeId === undefined ? {} : { assignee: assigneeId === null ? null : { id: assigneeId } }),
  };
  check(world, family, current, contract);
  return contract;
}

function check(world: World, { kind }: ContractFamily, current: JsonObject, contract: JsonObject): void {
  const status = contract['status'];
  if (isBlank(status)) throw refuseFields({ status: ["can't be blank"] });
  if (status !== 'Draft' && isBlank(objectAt(contract, 'vendor')['id'])) {
    throw refuseFields({ vendor_id: ["must be selected when the contract's status is not draft"] });
  }
  checkOrigin(world, [kind], contract);
  const { number } = contract;
  const isNew =
    number !== current['number'] || world.tables[kind].get(idText(contract['id']) ?? '') === undefined;
  if (isNew && world.core.switches.get('uniqueContractNumbers')) {
    const project = idText(objectAt(contract, 'project')['id']) ?? '';
    const isTaken = world.tables[kind]
      .in(project)
      .some((row) => row['number'] === number && idText(row['id']) !== idText(contract['id']));
    if (isTaken) throw refuseFields({ number: ['has already been taken'] });
  }
}

// Without several currencies both are passed over.
function currencyOf(
  world: World,
  contract: JsonObject,
  { code, rate }: { readonly code: JsonValue | undefined; readonly rate: JsonValue | undefined },
): JsonObject {
  if (!world.core.switches.get('multiCurrency') || (code === undefined && rate === undefined)) return {};
  return {
    currency_configuration: {
      ...objectAt(contract, 'currency_configuration'),
      ...(code === undefined ? {} : { currency_iso_code: code }),
      ...(rate === undefined ? {} : { currency_exchange_rate: rate }),
    },
  };
}

// Contracts know vendors by the ID that they have in the project's directory.
function vendorOf(world: World, contract: JsonObject, vendorId: JsonValue): JsonObject | null {
  if (vendorId === null) return null;
  const project = idText(objectAt(contract, 'project')['id']);
  const entry = world.tables.project_vendors.get(directoryKey(project, idText(vendorId)));
  const vendor = entry === undefined ? undefined : world.tables.vendors.get(idText(entry['vendor_id']) ?? '');
  if (vendor === undefined) throw refuseFields({ vendor_id: ['has not been added to this project'] });
  return {
    id: vendorId,
    company: vendor['name'] ?? null,
    origin_id: vendor['origin_id'] ?? null,
    origin_data: vendor['origin_data'] ?? null,
  };
}

function nextNumber(world: World, { kind, prefix }: ContractFamily, project: JsonObject): string {
  const stem = `${prefix}-${textOf(project['project_number'])}-`;
  const rows = world.tables[kind].in(idText(project['id']) ?? '');
  const last = rows.reduce((most, { number }) => {
    const [, digits = '0'] =
      typeof number === 'string' && number.startsWith(stem) ? (/(\d{1,9})$/.exec(number) ?? []) : [];
    return Math.max(most, Number(digits));
  }, 0);
  return `${stem}${String(last + 1).padStart(3, '0')}`;
}
