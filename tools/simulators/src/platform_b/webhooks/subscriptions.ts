import { isJsonObject, ownText, parseJsonText, JsonTextError, type JsonObject } from '@app/mapper';
import type { Reply } from '../../server';
import type { Company } from '../company/company';
import type { ApiCall } from '../http/api-call';
import { segmentsOf } from '../http/address';
import { checkIfMatch } from '../http/concurrency';
import { badRequest, ODataError, wrongMethod } from '../odata-error';
import { pages } from '../model/pages';
import { LIFE, shownSubscription, type Subscription } from './subscription';

/** An environment has at most so many. */
const MOST = 200;
const LONGEST_STATE = 2048;

/** Pages that can be subscribed to. A custom page can be too, by the subscriptions of its own route. */
export const supportedPages = [
  'currencies',
  'customerPaymentJournals',
  'customers',
  'journals',
  'salesInvoices',
  'salesOrders',
];

/** The subscriptions of an environment: made with a handshake, renewed, given up. */
export class Subscriptions {
  private readonly all = new Map<string, Subscription>();

  constructor(
    private readonly company: Company,
    /** Asks an address whether it wants notices; resolves to whether it answered with the token. */
    private readonly shakeHands: (notificationUrl: string, token: string) => Promise<boolean>,
  ) {}

  /** Those that are still alive. */
  living(): readonly Subscription[] {
    const now = this.company.clock.now();
    for (const { id, expires } of this.all.values()) if (expires <= now) this.all.delete(id);
    return [...this.all.values()];
  }

  remove(id: string): void {
    this.all.delete(id);
  }

  /** Takes back what an earlier run has left. */
  restore(subscriptions: readonly Subscription[]): void {
    for (const subscription of subscriptions) this.all.set(subscription.id, subscription);
  }

  /** Answers `subscriptions` and `subscriptions('id')` of a route. */
  async answer(call: ApiCall): Promise<Reply> {
    const [segment, ...rest] = segmentsOf(call.path);
    if (segment === undefined || rest.length > 0) throw notFound();
    const { key } = segment;
    if (key === undefined) {
      if (call.method === 'POST') return this.subscribe(call);
      if (call.method !== 'GET') throw wrongMethod(call.method);
      const value = this.living()
        .filter(({ route }) => route === call.route)
        .map(shownSubscription);
      return { status: 200, json: { '@odata.context': `${call.root}/$metadata#subscriptions`, value } };
    }
    if (key.kind !== 'text') {
      throw badRequest('The key of a subscription stands in single quotes.', 'BadRequest_InvalidRequestUrl');
    }
    const subscription = this.living().find(({ id, route }) => id === key.value && route === call.route);
    if (subscription === undefined) throw notFound();
    return this.answerOne(call, subscription);
  }

  private async answerOne(call: ApiCall, subscription: Subscription): Promise<Reply> {
    if (call.method === 'GET') return { status: 200, json: shownSubscription(subscription) };
    if (call.method !== 'PATCH' && call.method !== 'DELETE') throw wrongMethod(call.method);
    checkIfMatch(call.headers['if-match'], subscription, this.company.switches, true);
    if (call.method === 'DELETE') {
      this.all.delete(subscription.id);
      return { status: 204 };
    }
    const body = bodyOf(call);
    const next = {
      ...subscription,
      notificationUrl: ownText(body, 'notificationUrl') ?? subscription.notificationUrl,
      clientState: ownText(body, 'clientState') ?? subscription.clientState,
    };
    checkState(next.clientState);
    if ((ownText(body, 'resource') ?? subscription.resource) !== subscription.resource) {
      throw badRequest('The resource of a subscription cannot be changed.');
    }
    await this.greet(next.notificationUrl);
    return { status: 200, json: shownSubscription(this.keep(next)) };
  }

  private async subscribe(call: ApiCall): Promise<Reply> {
    const body = bodyOf(call);
    const notificationUrl = ownText(body, 'notificationUrl');
    const resource = ownText(body, 'resource');
    const clientState = ownText(body, 'clientState') ?? '';
    if (notificationUrl === undefined || !/^https?:\/\//.test(notificationUrl)) {
      throw badRequest('The notificationUrl is not valid.');
    }
    checkState(clientState);
    const page = this.pageOf(call, resource ?? '');
    if (this.living().length >= MOST) throw badRequest(`There are ${MOST} subscriptions already.`);
    await this.greet(notificationUrl);
    const subscription = this.keep({
      id: this.company.random.hex(32),
      etag: '',
      route: call.route,
      notificationUrl,
      resource: resource ?? '',
      page,
      clientState,
      expires: 0,
      modified: 0,
    });
    return { status: 201, json: shownSubscription(subscription) };
  }

  private keep(subscription: Subscription): Subscription {
    const modified = this.company.clock.now();
    const kept = { ...subscription, etag: this.company.etag(), modified, expires: modified + LIFE };
    this.all.set(kept.id, kept);
    return kept;
  }

  private async greet(notificationUrl: string): Promise<void> {
    if (await this.shakeHands(notificationUrl, this.company.random.guid())) return;
    throw badRequest(`The notificationUrl did not answer the validation token with 200 and the token.`);
  }

  private pageOf(call: ApiCall, resource: string): string {
    const path = new URL(call.root).pathname;
    const api = path.slice(path.indexOf('/api/'));
    const below = [path, api, api.slice(1)].find((start) => resource.startsWith(`${start}/`));
    const [, id, page = ''] =
      /^companies\(([^)]*)\)\/(\w+)$/.exec(resource.slice((below ?? '').length + 1)) ?? [];
    const isKnown =
      call.route === 'custom'
        ? pages.custom.has(page)
        : supportedPages.includes(page) ||
          (page === 'projects' && this.company.switches.get('projectWebhooks'));
    if (below === undefined || id?.toLowerCase() !== this.company.facts.id || !isKnown) {
      throw badRequest(`The resource '${resource}' does not support webhook notifications.`);
    }
    return page;
  }
}

function checkState(clientState: string): void {
  if (clientState.length > LONGEST_STATE) throw badRequest('The clientState is too long.');
}

function notFound(): ODataError {
  return new ODataError(404, 'Internal_RecordNotFound', 'The subscription does not exist.');
}

function bodyOf({ body }: ApiCall): JsonObject {
  try {
    const json = parseJsonText(body);
    if (isJsonObject(json)) return json;
  } catch (error) {
    if (!(error instanceof JsonTextError)) throw error;
  }
  throw badRequest('Invalid Request Body', 'RequestDataInvalid');
}
