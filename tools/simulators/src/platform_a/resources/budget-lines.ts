import { isJsonObject, ownMember, type JsonObject } from '@app/mapper';
import { amountOf, amountText } from '../amounts';
import type { Call } from '../call';
import { id, number, oneOf, text, type Fields } from '../fields';
import { byId } from '../filters';
import { idText, idValue } from '../ids';
import { created, deletedWithoutContent, ok, type Operations } from '../operations';
import { notFound, refuseFields } from '../refusals';
import type { World } from '../world';
import { syncReply } from './sync';
import { isBlank, read } from './writing';

/** Amounts are numbers here, and texts in the rows of a view. */
const fields: Fields = {
  wbs_code_id: id,
  original_budget_amount: number,
  quantity: number,
  unit_cost: number,
  uom: text,
  calculation_strategy: oneOf('automatic', 'manual'),
};

/** The one view that each project has. */
const VIEW = '4401';

/** The budget of a project. There is no list of lines but the rows of a view, and none of them shows when it changed. */
export function addBudgetLines(operations: Operations): void {
  const path = '/rest/v1.1/budget_line_items';
  operations
    .route('GET', '/rest/v1.0/budget_views', {
      scope: 'project_query',
      run: () => ok([{ id: idValue(VIEW), name: 'Standard Budget View' }]),
    })
    .route('GET', '/rest/v1.0/budget_views/{id}/detail_rows', { scope: 'project_query', run: detailRows })
    .route('POST', path, {
      scope: 'project_body',
      run: (call) => created(shown(create(call, call.wrapped('budget_line_item')))),
    })
    .route('POST', '/rest/v1.0/budget_line_items/sync', {
      scope: 'project_body',
      run: (call) =>
        syncReply(call, {
          byId: (lineId) => call.world.tables.budget_line_items.in(call.project).find(hasId(lineId)),
          byOrigin: () => undefined,
          create: (attributes) => shown(create(call, attributes)),
          update: (before, attributes) => shown(update(call.world, before, attributes)),
        }),
    })
    .route('GET', `${path}/{id}`, {
      scope: 'project_query',
      run: (call) => ok(shown(call.seen('budget_line_items', call.path('id'), isOf(call)))),
    })
    .route('PATCH', `${path}/{id}`, {
      scope: 'project_body',
      run: (call) => {
        const before = call.current('budget_line_items', call.path('id'), isOf(call));
        return ok(shown(update(call.world, before, call.wrapped('budget_line_item'))));
      },
    })
    .route('DELETE', '/rest/v2.0/companies/{company_id}/projects/{project_id}/budget_line_items/{id}', {
      scope: 'project_path',
      run: (call) => {
        if (call.path('company_id') !== call.world.company.id) throw notFound();
        call.world.remove(
          'budget_line_items',
          call.current('budget_line_items', call.path('id'), isOf(call)),
        );
        return deletedWithoutContent;
      },
    });
}

function hasId(wanted: string): (row: JsonObject) => boolean {
  return (row) => idText(row['id']) === wanted;
}

function isOf(call: Call): (row: JsonObject) => boolean {
  return (row) => idText(row['project_id']) === call.project;
}

// The project stands in the address alone.
function shown(row: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(row).filter(([name]) => name !== 'project_id'));
}

function detailRows(call: Call): ReturnType<Call['list']> {
  if (call.path('id') !== VIEW) throw notFound();
  return call.list({
    name: 'budget_rows',
    rows: call.world.tables.budget_line_items.seenIn(call.project),
    filters: { budget_line_item_id: byId('id') },
    show: (row) => ({
      id: row['id'] ?? null,
      project_id: row['project_id'] ?? null,
      wbs_code_id: isJsonObject(row['wbs_code']) ? (row['wbs_code']['id'] ?? null) : null,
      original_budget_amount: amountText(amountOf(row['original_budget_amount'])),
      budget_modifications: '0.0',
      currency_configuration: row['currency_configuration'] ?? null,
      deletable: true,
    }),
  });
}

function create(call: Call, sent: JsonObject): JsonObject {
  const { world } = call;
  if (isBlank(ownMember(sent, 'wbs_code_id'))) throw refuseFields({ wbs_code_id: ["can't be blank"] });
  const empty: JsonObject = {
    id: world.ids.next(),
    project_id: idValue(call.project),
    original_budget_amount: 0,
    uom: null,
    quantity: null,
    unit_cost: null,
    calculation_strategy: 'manual',
    currency_configuration: { currency_iso_code: null },
  };
  return world.save('budget_line_items', written(world, empty, sent), 'create');
}

function update(world: World, before: JsonObject, sent: JsonObject): JsonObject {
  return world.save('budget_line_items', written(world, before, sent), 'update');
}

function written(world: World, before: JsonObject, sent: JsonObject): JsonObject {
  const { plain } = read(world, sent, fields, before);
  const { wbs_code_id: code, ...rest } = plain;
  const line: JsonObject = {
    ...before,
    ...rest,
    ...(code !== undefined && {
      wbs_code: { id: code, flat_code: `WBS-${idText(code) ?? ''}`, description: null },
    }),
  };
  const { quantity, unit_cost: cost } = line;
  const isComputed =
    line['calculation_strategy'] === 'automatic' && typeof quantity === 'number' && typeof cost === 'number';
  return isComputed ? { ...line, original_budget_amount: quantity * cost } : line;
}
