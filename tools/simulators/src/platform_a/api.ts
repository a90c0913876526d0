import { isJsonObject, ownMember } from '@app/mapper';
import { objectBodyOf, Refusal, Router, type Reply, type SimulatedRequest } from '../server';
import { Call } from './call';
import { idText } from './ids';
import type { TokenDesk } from './oauth';
import type { Operation, Operations, Scope } from './operations';
import type { Allowance, RequestCounter } from './request-counter';
import { envelope, forbidden, missing, notConnected, notFound } from './refusals';
import type { PathParameters } from '../server';
import type { Tool, World } from './world';

/** The API host: lets requests in, finds what answers them, and says on each answer how much is left of the limits. */
export class Api {
  readonly operations: Operations = new Router<Operation>();
  /** Answers to requests with an Idempotency-Token, by path and token. */
  private readonly kept = new Map<string, Reply>();

  constructor(
    private readonly world: World,
    private readonly tokens: TokenDesk,
    private readonly counter: RequestCounter,
  ) {}

  answer(request: SimulatedRequest): Reply {
    const { core } = this.world;
    const company = request.headers['procore-company-id'] ?? request.query.get('company_id') ?? '';
    const allowance = this.counter.count(company);
    const headers = {
      date: core.clock.date().toUTCString(),
      'x-request-id': core.random.guid(),
      ...limitHeaders(allowance),
    };
    const reply =
      allowance !== undefined && allowance.remaining < 0 ? this.tooMany(allowance) : this.admitted(request);
    return { ...reply, headers: { ...headers, ...reply.headers } };
  }

  private admitted(request: SimulatedRequest): Reply {
    try {
      if (!this.tokens.admits(request.headers['authorization'])) throw this.unauthorized();
      const found = this.operations.find(request.method, request.path);
      if (found.kind === 'unknown') throw notFound();
      if (found.kind === 'other_methods') {
        throw new Refusal({ status: 405, json: envelope(405, 'Method Not Allowed') });
      }
      const { handler, parameters } = found;
      const project = this.projectOf(request, handler, parameters);
      return this.once(request, () => handler.run(new Call(this.world, request, parameters, project)));
    } catch (error) {
      if (error instanceof Refusal) return error.reply;
      throw error;
    }
  }

  /** The answer of an earlier POST to the same path with the same token, where the platform keeps such answers. */
  private once({ method, path, headers }: SimulatedRequest, run: () => Reply): Reply {
    const token = headers['idempotency-token'] ?? '';
    const isKept = this.world.core.switches.get('idempotencyTokens') === 'kept';
    if (method !== 'POST' || token === '' || !isKept) return run();
    const key = `${path} ${token}`;
    const reply = this.kept.get(key) ?? run();
    this.kept.set(key, reply);
    return reply;
  }

  /** Checks that the request may be made where it says it is made. Returns the project; empty for the company. */
  private projectOf(
    request: SimulatedRequest,
    { scope, tool }: Operation,
    parameters: PathParameters,
  ): string {
    const isOfProject = scope.startsWith('project');
    const { company, isConnected } = this.world;
    const header = request.headers['procore-company-id'];
    if (scope !== 'none') {
      if (header === undefined || header === '') throw this.headerMissing(isOfProject);
      if (header !== company.id || !isConnected) throw notConnected();
    }
    if (scope === 'none' || scope === 'company_header') return '';
    const id = scopeIdOf(request, scope, parameters);
    if (id === undefined) throw missing(isOfProject ? 'project_id' : 'company_id');
    if (!isOfProject) {
      if (id !== company.id) throw notConnected();
      return '';
    }
    this.checkProject(id, tool);
    return id;
  }

  private checkProject(id: string, tool: Tool | undefined): void {
    const { world } = this;
    if (world.tables.projects.get(id) === undefined) throw notFound();
    if (world.permitted !== undefined && !world.permitted.has(id)) {
      throw forbidden('You do not have permission to access this project.');
    }
    const off = tool === undefined ? undefined : world.toolsOff.get(`${id}:${tool}`);
    if (off === 404) throw notFound();
    if (off !== undefined) throw forbidden('This tool is not enabled for this project.');
  }

  private headerMissing(isOfProject: boolean): Refusal {
    const { switches } = this.world.core;
    const status = switches.get(isOfProject ? 'projectHeaderMissingStatus' : 'companyHeaderMissingStatus');
    return new Refusal({
      status,
      text: 'Missing Procore-Company-Id header! It names the company of the request.',
    });
  }

  private unauthorized(): Refusal {
    return this.world.core.switches.get('unauthorizedBody') === 'text'
      ? new Refusal({ status: 401, text: 'The access token is invalid' })
      : new Refusal({ status: 401, json: { errors: 'Unauthorized' } });
  }

  private tooMany({ resetAt }: Allowance): Reply {
    const { switches, clock } = this.world.core;
    const message =
      'You have surpassed the max number of requests for an hour. Please wait until your limit resets.';
    const seconds = String(Math.max(1, Math.ceil((resetAt - clock.now()) / 1000)));
    return {
      status: 429,
      ...(switches.get('rateLimitBody') === 'text' ? { text: message } : { json: { errors: message } }),
      headers: switches.get('retryAfterOn429') ? { 'retry-after': seconds } : {},
    };
  }
}

function limitHeaders(allowance: Allowance | undefined): Readonly<Record<string, string>> {
  if (allowance === undefined) return {};
  return {
    'x-rate-limit-limit': String(allowance.limit),
    'x-rate-limit-remaining': String(Math.max(0, allowance.remaining)),
    'x-rate-limit-reset': String(Math.ceil(allowance.resetAt / 1000)),
  };
}

function scopeIdOf(request: SimulatedRequest, scope: Scope, parameters: PathParameters): string | undefined {
  const name = scope.startsWith('project') ? 'project_id' : 'company_id';
  if (scope.endsWith('_path')) return idText(parameters[name]);
  if (scope.endsWith('_query')) return idText(request.query.get(name) ?? undefined);
  const body = objectBodyOf(request);
  return isJsonObject(body) ? idText(ownMember(body, name)) : undefined;
}
