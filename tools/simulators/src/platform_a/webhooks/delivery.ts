import { ownMember, stringifyJson, type JsonObject, type JsonValue } from '@app/mapper';
import { idText } from '../ids';
import { objectAt } from '../totals';
import type { ChangeEvent, World } from '../world';
import { HookDesk, resourceNames, type Hook } from './hooks';

/** A receiver has five seconds; a hook that failed waits from a second to an hour; after twelve hours all is dropped. */
const TIMEOUT_MS = 5_000;
const FIRST_WAIT = 1_000;
const LONGEST_WAIT = 3_600_000;
const GIVEN_UP = 12 * 3_600_000;
const MOST_DELIVERIES = 10_000;

interface Waiting {
  readonly number: number;
  readonly body: JsonObject;
}

/** What waits for one hook, in order, and since when its receiver has failed. */
interface Queue {
  readonly waiting: Waiting[];
  failures: number;
  failingSince: number | undefined;
  isBusy: boolean;
  cancel: (() => void) | undefined;
}

interface Delivery {
  readonly id: number;
  readonly hook: string;
  readonly body: JsonObject;
  readonly outcome: 'successful' | 'failing' | 'discarded';
  readonly status: number | null;
  readonly at: string;
}

/** Tells hooks of changes: after they are done, one at a time for a hook, as well as it can. */
export class Deliveries {
  readonly desk: HookDesk;
  private readonly queues = new Map<string, Queue>();
  private readonly log: Delivery[] = [];
  private readonly ended = new AbortController();
  private events = 0;

  constructor(
    private readonly world: World,
    private readonly applicationId: string,
  ) {
    this.desk = new HookDesk(world, (hook, status) => this.shownFor(hook, status));
    world.onChange((event) => this.enqueue(event));
  }

  /** Delivers the last event of each hook once more. Returns how many. */
  repeatLast(): number {
    let repeated = 0;
    for (const hook of this.desk.hooks.values()) {
      const last = this.log.findLast((delivery) => delivery.hook === hook.id);
      if (last === undefined) continue;
      repeated += 1;
      this.wait(hook, last.body);
    }
    return repeated;
  }

  /** How many events wait, by hook. */
  waiting(): JsonObject {
    return Object.fromEntries([...this.queues].map(([hook, { waiting }]) => [hook, waiting.length]));
  }

  close(): void {
    this.ended.abort();
    for (const { cancel } of this.queues.values()) cancel?.();
  }

  private enqueue(event: ChangeEvent): void {
    const project = projectOf(event);
    const hooks = this.desk.wanting(event, project);
    if (hooks.length === 0) return;
    this.events += 1;
    for (const hook of hooks) {
      const body = this.payload(event, project, hook);
      this.wait(hook, body);
      if (this.world.core.switches.get('webhookDuplicates')) this.wait(hook, body);
    }
  }

  private wait(hook: Hook, body: JsonObject): void {
    const queue = this.queueOf(hook);
    queue.waiting.push({ number: this.events, body });
    if (!queue.isBusy && queue.cancel === undefined)
      this.later(hook, this.world.core.switches.get('webhookDelayMs'));
  }

  private queueOf(hook: Hook): Queue {
    const known = this.queues.get(hook.id);
    if (known !== undefined) return known;
    const queue: Queue = {
      waiting: [],
      failures: 0,
      failingSince: undefined,
      isBusy: false,
      cancel: undefined,
    };
    this.queues.set(hook.id, queue);
    return queue;
  }

  private later(hook: Hook, milliseconds: number): void {
    const queue = this.queueOf(hook);
    queue.cancel = this.world.core.clock.after(milliseconds, () => {
      queue.cancel = undefined;
      void this.deliver(hook, queue);
    });
  }

  private async deliver(hook: Hook, queue: Queue): Promise<void> {
    if (queue.isBusy || this.ended.signal.aborted) return;
    queue.isBusy = true;
    try {
      while (queue.waiting.length > 0 && this.desk.hooks.has(hook.id)) {
        const isDisordered = this.world.core.switches.get('webhookDisorder');
        const next = isDisordered ? queue.waiting.at(-1) : queue.waiting[0];
        if (next === undefined) return;
        const status = await this.send(hook, next.body);
        if (this.ended.signal.aborted) return;
        const isDone = status !== null && status >= 200 && status < 300;
        this.record(hook, next.body, isDone ? 'successful' : 'failing', status);
        if (!isDone) {
          this.pause(hook, queue);
          return;
        }
        queue.failures = 0;
        queue.failingSince = undefined;
        queue.waiting.splice(queue.waiting.indexOf(next), 1);
      }
    } finally {
      queue.isBusy = false;
    }
  }

  /** One failure holds up the whole hook. */
  private pause(hook: Hook, queue: Queue): void {
    const now = this.world.core.clock.now();
    queue.failingSince ??= now;
    if (now - queue.failingSince >= GIVEN_UP) {
      for (const { body } of queue.waiting.splice(0)) this.record(hook, body, 'discarded', null);
      queue.failures = 0;
      queue.failingSince = undefined;
      if (this.world.core.switches.get('hooksEndWhenGivenUp')) this.desk.end(hook);
      return;
    }
    const wait = Math.min(FIRST_WAIT * 2 ** Math.min(queue.failures, 20), LONGEST_WAIT);
    queue.failures += 1;
    this.later(hook, wait);
  }

  private async send(hook: Hook, body: JsonObject): Promise<number | null> {
    const impatient = new AbortController();
    const cancel = this.world.core.clock.after(TIMEOUT_MS, () => impatient.abort());
    try {
      const answer = await fetch(hook.url, {
        method: 'POST',
        body: stringifyJson(body),
        headers: {
          'content-type': 'application/json',
          ...(hook.authorization === undefined ? {} : { authorization: hook.authorization }),
        },
        redirect: 'manual',
        signal: AbortSignal.any([impatient.signal, this.ended.signal]),
      });
      await answer.arrayBuffer();
      return answer.status;
    } catch {
      // Whatever kept the receiver from answering, the event was not delivered.
      return null;
    } finally {
      cancel();
    }
  }

  private record(hook: Hook, body: JsonObject, outcome: Delivery['outcome'], status: number | null): void {
    if (this.log.length >= MOST_DELIVERIES) this.log.splice(0, MOST_DELIVERIES / 2);
    const id = (this.log.at(-1)?.id ?? 0) + 1;
    this.log.push({ id, hook: hook.id, body, outcome, status, at: this.world.stamp() });
  }

  private shownFor(hook: string, status: string): readonly JsonObject[] {
    return this.log
      .filter((delivery) => delivery.hook === hook && (status === 'any' || delivery.outcome === status))
      .map(({ id, body, outcome, status: answered, at }) => ({
        id,
        event_id: body['id'] ?? null,
        event: body,
        outcome,
        response_status: answered,
        response_error: answered === null ? 'no answer' : null,
        started_at: at,
        completed_at: at,
      }));
  }

  private payload(event: ChangeEvent, project: string | undefined, hook: Hook): JsonObject {
    const { world } = this;
    const resource = resourceNames[event.kind];
    const base: JsonObject = { id: this.events, timestamp: world.stamp(), ulid: this.ulid() };
    const record: JsonValue = event.record['id'] ?? null;
    if (hook.apiVersion === 'v4') {
      return {
        ...base,
        id: String(this.events),
        reason: event.type,
        company_id: world.company.id,
        project_id: project ?? '',
        user_id: '1',
        resource_type: resource,
        resource_id: idText(record) ?? '',
      };
    }
    return {
      ...base,
      user_id: event.own ? 1 : 2,
      company_id: Number(world.company.id),
      project_id: project === undefined ? null : Number(project),
      api_version: 'v2',
      event_type: event.type,
      resource_name: resource,
      resource_id: record,
      metadata: {
        source_user_id: event.own ? 1 : 2,
        source_project_id: project === undefined ? null : Number(project),
        source_operation_id: null,
        source_company_id: Number(world.company.id),
        source_application_id: event.own ? this.applicationId : null,
      },
    };
  }

  private ulid(): string {
    const { clock, random } = this.world.core;
    const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
    let time = Math.floor(clock.now());
    let stamp = '';
    for (let place = 0; place < 10; place += 1) {
      stamp = alphabet.charAt(time % 32) + stamp;
      time = Math.floor(time / 32);
    }
    return stamp + Array.from({ length: 16 }, () => alphabet.charAt(random.integer(0, 32))).join('');
  }
}

function projectOf({ kind, record }: ChangeEvent): string | undefined {
  switch (kind) {
    case 'projects':
      return idText(record['id']);
    case 'vendors':
    case 'people':
    case 'users':
      return undefined;
    case 'work_order_contracts':
    case 'purchase_order_contracts':
      return idText(objectAt(record, 'project')['id']);
    case 'project_vendors':
    case 'requisitions':
    case 'contract_payments':
    case 'budget_line_items':
    case 'commitment_change_orders':
    case 'timecard_entries':
      return idText(ownMember(record, 'project_id'));
  }
}
