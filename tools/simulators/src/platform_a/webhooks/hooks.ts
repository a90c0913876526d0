import { isJsonArray, isJsonObject, ownMember, type JsonObject, type JsonValue } from '@app/mapper';
import { Refusal, type Reply } from '../../server';
import type { Call } from '../call';
import { idText, idValue } from '../ids';
import { created, ok, type Operations } from '../operations';
import { missing, notFound, refuseFields } from '../refusals';
import type { ChangeEvent, EventType, Kind, World } from '../world';
import { textOf } from '../text';

/** A subscription: where events go, and which. */
export interface Hook {
  readonly id: string;
  /** The project that it is for; undefined for the whole company. */
  readonly project: string | undefined;
  readonly apiVersion: string;
  readonly namespace: string;
  readonly url: string;
  readonly authorization: string | undefined;
  readonly triggers: { readonly id: string; readonly resource: string; readonly type: EventType }[];
}

/** The names by which events call the resources. */
export const resourceNames: Readonly<Record<Kind, string>> = {
  projects: 'Projects',
  vendors: 'Company Vendors',
  project_vendors: 'Project Vendors',
  work_order_contracts: 'Work Order Contracts',
  purchase_order_contracts: 'Purchase Order Contracts',
  requisitions: 'Requisitions',
  contract_payments: 'Contract Payments',
  commitment_change_orders: 'Commitment Change Orders',
  budget_line_items: 'Budget Line Items',
  timecard_entries: 'Timecard Entries',
  people: 'People',
  users: 'Company Users',
};
const eventTypes: readonly EventType[] = ['create', 'update', 'delete'];
/** Events that the platform no longer has. */
const withdrawn: readonly string[] = ['Project Vendors update'];

const MOST_TRIGGERS = 100;

/** The subscriptions, and the calls that manage them. */
export class HookDesk {
  readonly hooks = new Map<string, Hook>();

  constructor(
    private readonly world: World,
    /** What was delivered for a hook. */
    private readonly deliveriesOf: (hook: string, status: string) => readonly JsonObject[],
  ) {}

  /** The hooks that want an event. */
  wanting(event: ChangeEvent, project: string | undefined): readonly Hook[] {
    const resource = resourceNames[event.kind];
    if (withdrawn.includes(`${resource} ${event.type}`)) return [];
    return [...this.hooks.values()].filter(
      (hook) =>
        (hook.project === undefined || hook.project === project) &&
        hook.triggers.some((trigger) => trigger.resource === resource && trigger.type === event.type),
    );
  }

  end(hook: Hook): void {
    this.hooks.delete(hook.id);
    this.world.changed();
  }

  addTo(operations: Operations): void {
    const path = '/rest/v1.0/webhooks/hooks';
    const scope = 'company_header';
    operations
      .route('GET', '/rest/v1.0/webhooks/resources', { scope, run: () => ok(described()) })
      .route('GET', path, { scope, run: () => ok([...this.hooks.values()].map((hook) => this.shown(hook))) })
      .route('POST', path, { scope, run: (call) => this.create(call) })
      .route('DELETE', `${path}/{id}`, {
        scope,
        run: (call) => {
          const hook = this.hookIn(call, 'id');
          this.end(hook);
          return ok(this.shown(hook));
        },
      })
      .route('GET', `${path}/{hook_id}/triggers`, {
        scope,
        run: (call) => {
          const hook = this.hookIn(call, 'hook_id');
          return ok(hook.triggers.map((trigger) => this.shownTrigger(hook, trigger)));
        },
      })
      .route('POST', `${path}/{hook_id}/triggers`, {
        scope,
        run: (call) => {
          const hook = this.hookIn(call, 'hook_id');
          return created(this.addTrigger(hook, call.wrapped('trigger')));
        },
      })
      .route('POST', `${path}/{hook_id}/triggers/bulk`, { scope, run: (call) => this.addTriggers(call) })
      .route('DELETE', `${path}/{hook_id}/triggers/{id}`, {
        scope,
        run: (call) => {
          const hook = this.hookIn(call, 'hook_id');
          const place = hook.triggers.findIndex(({ id }) => id === call.path('id'));
          const trigger = hook.triggers[place];
          if (trigger === undefined) throw notFound();
          hook.triggers.splice(place, 1);
          this.world.changed();
          return ok(this.shownTrigger(hook, trigger));
        },
      })
      .route('GET', `${path}/{hook_id}/deliveries`, { scope, run: (call) => this.deliveries(call) });
  }

  toJson(): JsonValue {
    return [...this.hooks.values()].map((hook): JsonObject => ({
      id: hook.id,
      project: hook.project ?? null,
      api_version: hook.apiVersion,
      namespace: hook.namespace,
      url: hook.url,
      authorization: hook.authorization ?? null,
      triggers: hook.triggers.map((trigger) => ({ ...trigger })),
    }));
  }

  restore(state: JsonValue | undefined): void {
    for (const kept of isJsonArray(state) ? state.filter(isJsonObject) : []) {
      const triggers = isJsonArray(kept['triggers']) ? kept['triggers'].filter(isJsonObject) : [];
      const hook: Hook = {
        id: textOf(kept['id']),
        project: textIn(kept['project']),
        apiVersion: textOf(kept['api_version']),
        namespace: textOf(kept['namespace']),
        url: textOf(kept['url']),
        authorization: textIn(kept['authorization']),
        triggers: triggers.map(({ id, resource, type }) => ({
          id: textOf(id),
          resource: textOf(resource),
          type: eventTypes.find((known) => known === type) ?? 'update',
        })),
      };
      this.hooks.set(hook.id, hook);
    }
  }

  private create(call: Call): Reply {
    const body = call.body();
    const sent = call.wrapped('hook');
    const project = idText(ownMember(body, 'project_id'));
    const company = idText(ownMember(body, 'company_id'));
    if (project === undefined && company !== this.world.company.id) throw missing('company_id');
    if (project !== undefined && this.world.tables.projects.get(project) === undefined) throw notFound();
    const { namespace, destination_url: url, api_version: version } = sent;
    if (typeof namespace !== 'string' || !/^[a-z0-9-]+$/.test(namespace)) {
      throw refuseFields({ namespace: ['is invalid'] });
    }
    if (typeof url !== 'string' || !URL.canParse(url))
      throw refuseFields({ destination_url: ['is invalid'] });
    if (version !== 'v2' && version !== 'v4') throw refuseFields({ api_version: ['is invalid'] });
    const headers = ownMember(sent, 'destination_headers');
    const hook: Hook = {
      id: idText(this.world.ids.next()) ?? '',
      project,
      apiVersion: version,
      namespace,
      url,
      authorization: isJsonObject(headers) ? textIn(headers['Authorization']) : undefined,
      triggers: [],
    };
    this.hooks.set(hook.id, hook);
    this.world.changed();
    return created(this.shown(hook));
  }

  private addTriggers(call: Call): Reply {
    const hook = this.hookIn(call, 'hook_id');
    const sent = ownMember(call.body(), 'triggers');
    if (!isJsonArray(sent)) throw missing('triggers');
    if (sent.length > MOST_TRIGGERS)
      throw new Refusal({ status: 413, json: { message: 'Payload Too Large' } });
    const results = sent.map((trigger): JsonObject => {
      try {
        return { status: 201, ...this.addTrigger(hook, isJsonObject(trigger) ? trigger : {}) };
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        return { status: error.reply.status, ...(isJsonObject(error.reply.json) ? error.reply.json : {}) };
      }
    });
    return { status: 207, json: results };
  }

  private addTrigger(hook: Hook, sent: JsonObject): JsonObject {
    const resource = ownMember(sent, 'resource_name');
    const type = eventTypes.find((known) => known === ownMember(sent, 'event_type'));
    if (typeof resource !== 'string' || !Object.values(resourceNames).includes(resource)) {
      throw refuseFields({ resource_name: ['is not included in the list'] });
    }
    if (type === undefined) throw refuseFields({ event_type: ['is not included in the list'] });
    const trigger = { id: idText(this.world.ids.next()) ?? '', resource, type };
    hook.triggers.push(trigger);
    this.world.changed();
    return this.shownTrigger(hook, trigger);
  }

  private deliveries(call: Call): Reply {
    const hook = this.hookIn(call, 'hook_id');
    if (call.query('company_id') === undefined && call.query('project_id') === undefined)
      throw missing('company_id');
    const all = this.deliveriesOf(hook.id, call.query('filters[status]') ?? 'any');
    const after = Number(call.query('page_start') ?? 0);
    const size = Number(call.query('page_size') ?? 100);
    return ok(all.filter(({ id }) => Number(id) > after).slice(0, size));
  }

  private hookIn(call: Call, name: string): Hook {
    const hook = this.hooks.get(call.path(name));
    if (hook === undefined) throw notFound();
    return hook;
  }

  /** Secrets are shown by their last five characters. */
  private shown({ id, project, apiVersion, namespace, url, authorization }: Hook): JsonObject {
    return {
      id: idValue(id),
      api_version: apiVersion,
      namespace,
      destination_url: url,
      destination_headers:
        authorization === undefined
          ? {}
          : { Authorization: authorization.slice(-5).padStart(authorization.length, '*') },
      owned_by_company_id: project === undefined ? idValue(this.world.company.id) : null,
      owned_by_project_id: project === undefined ? null : idValue(project),
      owned_by_user_id: 1,
    };
  }

  private shownTrigger(hook: Hook, { id, resource, type }: Hook['triggers'][number]): JsonObject {
    return {
      id: idValue(id),
      webhook_hook_id: idValue(hook.id),
      resource_name: resource,
      resource_id: null,
      event_type: type,
      company_id: hook.project === undefined ? idValue(this.world.company.id) : null,
      project_id: hook.project === undefined ? null : idValue(hook.project),
      user_id: 1,
    };
  }
}

function described(): readonly JsonObject[] {
  return Object.values(resourceNames).map((name) => ({
    name,
    resource_name: name,
    api_version: 'v2',
    create: true,
    update: !withdrawn.includes(`${name} update`),
    delete: true,
  }));
}

function textIn(value: JsonValue | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
