import type { JsonObject, JsonValue } from '@app/mapper';

/** The representations of a record, by the name of the view. */
export type Views = Readonly<Record<string, (row: JsonObject) => JsonValue>>;

export function only(...members: readonly string[]): (row: JsonObject) => JsonObject {
  return (row) => Object.fromEntries(Object.entries(row).filter(([name]) => members.includes(name)));
}

export function without(...members: readonly string[]): (row: JsonObject) => JsonObject {
  return (row) => Object.fromEntries(Object.entries(row).filter(([name]) => !members.includes(name)));
}

/** The view that a request names; the default view if it names none, or an unknown one. */
export function viewOf(
  views: Views,
  usual: string,
  name: string | undefined,
): (row: JsonObject) => JsonValue {
  const show = (name !== undefined && Object.hasOwn(views, name) ? views[name] : undefined) ?? views[usual];
  if (show === undefined) throw new Error(`There is no view ${usual}`);
  return show;
}

const namesOnly = only('id', 'name');

/** Lists name the stage as a text; a single project has it as an object. */
export const projectListViews: Views = {
  ids: (row) => row['id'] ?? null,
  compact: namesOnly,
  normal: without(
    'project_stage',
    'custom_fields',
    'created_by',
    'departments',
    'actual_start_date',
    'projected_finish_date',
    'warranty_start_date',
    'warranty_end_date',
  ),
  extended: without('project_stage'),
};
export const projectShow = without('stage');

const vendorNormal = without('legal_name', 'parent', 'children_count', 'bidding');
export const vendorViews: Views = {
  compact: namesOnly,
  normal: vendorNormal,
  erp: only(
    'id',
    'name',
    'abbreviated_name',
    'origin_id',
    'origin_data',
    'origin_code',
    'synced_to_erp',
    'is_active',
  ),
  extended: (row) => row,
  directory: vendorNormal,
  summary: vendorNormal,
};

const projectVendorNormal = without(
  'project_id',
  'vendor_id',
  'legal_name',
  'parent',
  'project_ids',
  'business_register',
);
export const projectVendorViews: Views = {
  ids_only: (row) => row['id'] ?? null,
  name: namesOnly,
  minimal: namesOnly,
  list: projectVendorNormal,
  normal: projectVendorNormal,
  extended: without('project_id', 'vendor_id', 'project_ids'),
};

export const contractListViews: Views = {
  compact: only(
    'id',
    'number',
    'title',
    'status',
    'executed',
    'private',
    'accounting_method',
    'contract_date',
    'grand_total',
    'project',
    'vendor',
    'origin_id',
    'origin_data',
    'created_at',
    'updated_at',
    'deleted_at',
  ),
  extended: (row) => row,
};

const requisitionDefault = without('summary', 'summary_text', 'items', 'item_packages');
export const requisitionViews: Views = {
  default: requisitionDefault,
  extended: without('items', 'item_packages'),
  items: without('summary', 'summary_text', 'item_packages'),
  action_policy: requisitionDefault,
};
