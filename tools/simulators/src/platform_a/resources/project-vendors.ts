import { isJsonArray, type JsonObject } from '@app/mapper';
import type { Call } from '../call';
import { byId } from '../filters';
import { idText, idValue } from '../ids';
import { created, ok, type Operations } from '../operations';
import { notFound } from '../refusals';
import { projectVendorViews, viewOf } from '../views';
import { directoryKey, type World } from '../world';
import { createVendor, searched } from './vendors';

/**
 * The vendors of a project. Each has an ID of its own there, which contracts use, and by which the company's directory
 * does not know it.
 */
export function addProjectVendors(operations: Operations): void {
  const path = '/rest/v1.1/projects/{project_id}/vendors';
  const scope = { scope: 'project_path', tool: 'directory' } as const;
  operations
    .route('GET', path, {
      ...scope,
      run: (call) =>
        call.list({
          name: 'project_vendors',
          rows: call.world.tables.project_vendors
            .seenIn(call.project)
            .map((row) => directoryRow(call.world, row))
            .filter((row) => row !== undefined),
          filters: { id: byId('id'), parent_id: byId('parent.id'), search: searched },
          show: shownAs(call),
          sorts: ['name'],
        }),
    })
    .route('POST', path, {
      ...scope,
      run: (call) => {
        const vendor = createVendor(call.world, call.wrapped('vendor'));
        return created(shownAs(call)(addToProject(call.world, call.project, vendor)));
      },
    })
    .route('GET', `${path}/{id}`, {
      ...scope,
      run: (call) => {
        const row = call.seen('project_vendors', directoryKey(call.project, call.path('id')), () => true);
        const shown = directoryRow(call.world, row);
        if (shown === undefined) throw notFound();
        return ok(shownAs(call)(shown));
      },
    })
    .route('POST', `${path}/{id}/actions/add`, {
      ...scope,
      run: (call) => {
        const vendor = call.current('vendors', call.path('id'), () => true);
        return created(shownAs(call)(addToProject(call.world, call.project, vendor)));
      },
    })
    .route('DELETE', `${path}/{id}/actions/remove`, {
      ...scope,
      run: (call) => {
        const row = call.current('project_vendors', directoryKey(call.project, call.path('id')), () => true);
        call.world.remove('project_vendors', row);
        return { status: 204 };
      },
    });
}

function shownAs(call: Call): (row: JsonObject) => JsonObject[string] {
  return viewOf(projectVendorViews, 'normal', call.query('view'));
}

/** A vendor as a project's directory shows it; undefined when it shows it no longer. */
function directoryRow(world: World, row: JsonObject): JsonObject | undefined {
  const vendor = world.tables.vendors.seen(idText(row['vendor_id']) ?? '');
  if (vendor === undefined) return undefined;
  const isShown = vendor['is_active'] !== false || world.core.switches.get('inactiveInDirectories');
  return isShown ? { ...vendor, ...row } : undefined;
}

/** Puts a vendor of the company into a project's directory, once. Returns what the directory shows. */
export function addToProject(world: World, project: string, vendor: JsonObject): JsonObject {
  const vendorId = idText(vendor['id']) ?? '';
  const present = world.tables.project_vendors
    .in(project)
    .find((row) => idText(row['vendor_id']) === vendorId);
  if (present !== undefined) return { ...vendor, ...present };
  const isOwn = world.core.switches.get('projectVendorIds') === 'own';
  const row: JsonObject = {
    id: isOwn ? world.ids.next() : idValue(vendorId),
    project_id: idValue(project),
    vendor_id: idValue(vendorId),
  };
  const projects = isJsonArray(vendor['project_ids']) ? vendor['project_ids'] : [];
  if (!projects.some((known) => idText(known) === project)) {
    const now = { ...vendor, project_ids: [...projects, idValue(project)] };
    world.tables.vendors.put(now);
  }
  world.save('project_vendors', row, 'create');
  return { ...vendor, ...row };
}
