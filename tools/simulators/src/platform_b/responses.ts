import type { JsonObject } from '@app/mapper';
import { ControlError, type Edit, type Reply, type SimulatedRequest, type SimulatorCore } from '../server';
import type { Company } from './company/company';
import { badRequest, ODataError, unknownSegment } from './odata-error';
import { pages } from './model/pages';
import type { Change } from './store/store';
import type { PlatformBSwitches } from './switches';
import { Notifier, type Post } from './webhooks/notifier';
import { Subscriptions, supportedPages } from './webhooks/subscriptions';
import { Api } from './http/api';
import type { ApiCall } from './http/api-call';
import { batchReply, sizeOfBatch } from './http/batch';
import { errorReply } from './http/errors';
import { RequestLimiter } from './http/request-limiter';
import { rooted, tokenPath, type Place, type Rooted } from './http/root';
import { Tokens, type Client } from './http/tokens';

/** Answers every request to the platform: who asks, whether they may now, and then what. */
export class Answers {
  readonly tokens: Tokens;
  readonly limiter: RequestLimiter;
  readonly subscriptions: Subscriptions;
  readonly notifier: Notifier;
  private readonly api: Api;

  constructor(
    private readonly core: SimulatorCore<PlatformBSwitches>,
    private readonly company: Company,
    private readonly place: Place,
    network: { readonly post: Post; readonly shakeHands: (url: string, token: string) => Promise<boolean> },
  ) {
    this.tokens = new Tokens(core.clock, core.random, core.switches);
    this.limiter = new RequestLimiter(core.clock, core.switches);
    this.api = new Api(company);
    this.subscriptions = new Subscriptions(company, network.shakeHands);
    const tableOf = (page: string) => (pages.standard.get(page) ?? pages.custom.get(page))?.table;
    this.notifier = new Notifier(core.clock, () => this.subscriptions, tableOf, network.post);
  }

  /** Takes notice of a transaction. */
  committed(changes: readonly Change[]): void {
    this.notifier.committed(changes);
  }

  async answer(request: SimulatedRequest): Promise<Reply> {
    const common = { 'request-id': this.core.random.guid(), 'odata-version': '4.0' };
    try {
      const reply = await this.sorted(request);
      const correlation = { 'ms-correlation-x': this.core.random.guid() };
      return { ...reply, headers: { ...common, ...correlation, ...reply.headers } };
    } catch (error) {
      if (!(error instanceof ODataError)) throw error;
      const reply = errorReply(error, request.headers['accept-language'], this.core.random);
      return { ...reply, headers: { ...common, ...reply.headers } };
    }
  }

  /** Answers a request to the login host, which has nothing but tokens. */
  answerLogin(request: SimulatedRequest): Reply {
    if (request.path !== tokenPath(this.place)) return { status: 404, text: 'Not Found' };
    if (request.method !== 'POST') return { status: 405, text: 'Method Not Allowed' };
    return this.tokens.answer(request);
  }

  /** What happens to the platform as a whole. */
  edits(): Readonly<Record<string, Edit>> {
    return {
      expire_tokens: {
        about: 'All tokens are over at once',
        run: () => {
          this.tokens.expireAll();
          return {};
        },
      },
      set_client: {
        about: 'Registers "client_id" with "client_secret", or gives it another secret',
        run: ({ client_id, client_secret }) => {
          this.tokens.register(clientFrom(client_id, client_secret));
          return {};
        },
      },
      repeat_next_page: {
        about: 'The next link, or the next "times" ones, lead to the page that they stand on',
        run: ({ times }) => {
          this.api.plan.repeatedLinks = typeof times === 'number' ? times : 1;
          return {};
        },
      },
      send_notices: {
        about: 'Sends gathered notices to subscribers now',
        run: () => {
          this.notifier.send();
          return {};
        },
      },
    };
  }

  private async sorted(request: SimulatedRequest): Promise<Reply> {
    const target = rooted(this.place, request.path);
    const client = this.tokens.clientOf(request.headers);
    if (target.kind === 'supported') return { status: 200, json: this.supported() };
    const call = callOf(request, target);
    const isBatch = call.path === '$batch';
    const weight = isBatch && this.core.switches.get('batchItemsCount') ? Math.max(1, sizeOfBatch(call)) : 1;
    const leave = await this.limiter.enter(client, weight);
    try {
      const latency = this.core.switches.get('latencyMs');
      if (latency > 0) await this.core.clock.wait(latency);
      if (isBatch) return batchReply(this.company, this.api, this.core.random, call);
      if (/^subscriptions(\(|$)/.test(call.path)) return await this.subscriptions.answer(call);
      return this.api.answer(call);
    } finally {
      leave();
    }
  }

  private supported(): JsonObject {
    const { id } = this.company.facts;
    const names = this.core.switches.get('projectWebhooks')
      ? [...supportedPages, 'projects']
      : supportedPages;
    return { value: names.map((name) => ({ resource: `/api/v2.0/companies(${id})/${name}` })) };
  }
}

function callOf(
  request: SimulatedRequest,
  { route, root, path }: Extract<Rooted, { readonly kind: 'api' }>,
): ApiCall {
  if (request.headers.host === undefined) throw badRequest('The request has no host.');
  if (path === '') throw unknownSegment(root);
  return {
    route,
    method: request.method,
    path,
    query: request.query,
    rawQuery: request.rawQuery,
    headers: request.headers,
    body: request.body,
    root: `http://${request.headers.host}${root}`,
  };
}

function clientFrom(id: unknown, secret: unknown): Client {
  if (typeof id !== 'string' || typeof secret !== 'string') {
    throw new ControlError('"client_id" and "client_secret" are texts');
  }
  return { id, secret };
}
