import { isJsonObject, JsonTextError, parseJsonText, type JsonObject } from '@app/mapper';
import type { Reply } from '../../server';
import { checkedBody, fitRulesOf, type Body } from '../company/body';
import type { Company } from '../company/company';
import type { EntitySet } from '../model/entity-set';
import { badRequest, ODataError, unknownSegment, wrongMethod } from '../odata-error';
import { refuseEscapedSlashes } from '../query/escaped-slashes';
import { queryOptionsOf } from '../query/options';
import type { Row } from '../store/row';
import { segmentsOf, type Segment } from './address';
import { preferencesOf, type ApiCall } from './api-call';
import { checkIfMatch } from './concurrency';
import { metadataReply } from './metadata';
import { contextOf, listReply, type PagePlan } from './lists';
import { pageNamed, shown, type View } from './present';
import { targetOf, type Target } from './target';
import { actionNamed, takesParts, writers } from './writers';

/** The API of one company. It answers authorised calls synchronously. */
export class Api {
  readonly plan: PagePlan = { repeatedLinks: 0 };

  constructor(private readonly company: Company) {}

  /** @throws ODataError if the call is refused; nothing has changed then */
  answer(call: ApiCall): Reply {
    const segments = segmentsOf(call.path);
    const [first, ...rest] = segments;
    if (first?.name === '$metadata' && rest.length === 0) {
      if (call.method !== 'GET') throw wrongMethod(call.method);
      return metadataReply(call.route);
    }
    if (first?.name === 'companies') return this.inCompany(call, first, rest);
    const named = call.query.get('company') ?? call.headers.company;
    if (named !== undefined && named !== null && first !== undefined) {
      if (named !== this.company.facts.name && named !== this.company.facts.id) throw unknownCompany();
      return this.answerTarget(call, segments);
    }
    throw unknownSegment(first?.name ?? '');
  }

  private inCompany(call: ApiCall, { key }: Segment, rest: readonly Segment[]): Reply {
    const { facts } = this.company;
    const company: JsonObject = {
      id: facts.id,
      systemVersion: '29.0.0.0',
      timestamp: 1,
      name: facts.name,
      displayName: facts.name,
      businessProfileId: '',
    };
    if (key === undefined) {
      if (rest.length > 0) throw unknownSegment(rest[0]?.name ?? '');
      if (call.method !== 'GET') throw wrongMethod(call.method);
      const context = `${call.root}/$metadata#companies`;
      return { status: 200, json: { '@odata.context': context, value: [company] } };
    }
    const isOurs =
      (key.kind === 'guid' && key.value === facts.id) ||
      (key.kind === 'named' && key.field === 'name' && key.value === facts.name);
    if (!isOurs) throw unknownCompany();
    if (rest.length > 0) return this.answerTarget(call, rest);
    if (call.method !== 'GET') throw wrongMethod(call.method);
    return {
      status: 200,
      json: { '@odata.context': `${call.root}/$metadata#companies/$entity`, ...company },
    };
  }

  private answerTarget(call: ApiCall, segments: readonly Segment[]): Reply {
    if (this.company.switches.get('escapedSlashes') === 'refused') refuseEscapedSlashes(call.rawQuery);
    const isRead = call.method === 'GET';
    const fromReplica = call.headers['data-access-intent']?.toLowerCase() === 'readonly';
    if (fromReplica && !isRead) {
      throw badRequest(
        'The request writes, and Data-Access-Intent is ReadOnly.',
        'BadRequest_InvalidOperation',
      );
    }
    const { store, switches } = this.company;
    const lagMs = fromReplica ? switches.get('replicaLagMs') : isRead ? switches.get('readLagMs') : 0;
    const view: View = {
      company: this.company,
      reading: lagMs > 0 ? store.replica(lagMs) : store,
      route: call.route,
      mayWrite: !fromReplica && lagMs === 0,
      decimalsAsText:
        switches.get('ieee754Compatible') && /ieee754compatible=true/i.test(call.headers.accept ?? ''),
    };
    const target = targetOf(this.company, view.reading, call, segments);
    if (isRead) return this.company.caused('reading', () => this.read(view, call, target));
    return this.company.caused('api', () =>
      target.kind === 'action'
        ? this.act(call, target)
        : store.transaction(() => this.write(view, call, target)),
    );
  }

  private read(view: View, call: ApiCall, target: Target): Reply {
    const options = queryOptionsOf(call.query);
    if (target.kind === 'list') return listReply(view, call, target, options, this.plan);
    if (target.kind === 'action') throw wrongMethod(call.method);
    const json = shown(view, target.set, target.row, options);
    return {
      status: 200,
      json: { '@odata.context': contextOf(this.company, call, target.set, true), ...json },
    };
  }

  private write(view: View, call: ApiCall, target: Exclude<Target, { readonly kind: 'action' }>): Reply {
    const { set } = target;
    const writer = writers[set.table];
    const isWritable = set.methods.some((method) => method === call.method);
    const isForRecord = call.method === 'PATCH' || call.method === 'DELETE';
    if (writer === undefined || !isWritable || isForRecord !== (target.kind === 'record')) {
      throw wrongMethod(call.method);
    }
    if (target.kind === 'list') {
      if (target.isCount) throw wrongMethod(call.method);
      const body = this.bodyOf(set, call, true);
      const row = writer.create(this.company, set, target.within?.value, body);
      return this.written(view, call, set, row, 201);
    }
    checkIfMatch(call.headers['if-match'], target.row, this.company.switches, call.method === 'PATCH');
    if (call.method === 'DELETE') {
      writer.remove(this.company, target.row);
      return { status: 204 };
    }
    const row = writer.update(this.company, set, target.row, this.bodyOf(set, call, false));
    return this.written(view, call, set, row, 200);
  }

  private bodyOf(set: EntitySet, call: ApiCall, isNew: boolean): Body {
    const { switches } = this.company;
    const takesIds =
      isNew && switches.get('clientSuppliedIds') && ['customers', 'projects'].includes(set.name);
    return checkedBody(set, jsonObjectOf(call), {
      ...fitRulesOf(switches),
      order: switches.get('validationOrder'),
      deep: isNew && takesParts(set.table),
      letThrough: takesIds ? ['id'] : [],
    });
  }

  private written(view: View, call: ApiCall, set: EntitySet, row: Row, status: number): Reply {
    const location = `${call.root}/companies(${this.company.facts.id})/${set.name}(${row.id})`;
    const headers =
      status === 201 && this.company.switches.get('locationOnCreate') ? { headers: { location } } : {};
    if (preferencesOf(call).withoutContent) return { status: 204, ...headers };
    const options = queryOptionsOf(call.query);
    const json = shown({ ...view, mayWrite: false }, set, row, options);
    return {
      status,
      ...headers,
      json: { '@odata.context': contextOf(this.company, call, set, true), ...json },
    };
  }

  private act(call: ApiCall, target: Extract<Target, { readonly kind: 'action' }>): Reply {
    const action = actionNamed(target.set.name, target.action);
    if (action === undefined) throw unknownSegment(`Microsoft.NAV.${target.action}`);
    if (call.method !== 'POST') throw wrongMethod(call.method);
    checkIfMatch(call.headers['if-match'], target.row, this.company.switches, false);
    let { row } = target;
    for (const step of action.steps) row = this.company.store.transaction(() => step(this.company, row));
    const page = pageNamed(call.route, action.leadsTo);
    const location = `${call.root}/companies(${this.company.facts.id})/${page.name}(${row.id})`;
    return { status: 204, headers: { location } };
  }
}

function unknownCompany(): ODataError {
  return new ODataError(404, 'Internal_CompanyNotFound', 'Cannot find the company.');
}

/** The body of a write. @throws ODataError 400 when it is no JSON object */
function jsonObjectOf({ body, headers }: ApiCall): JsonObject {
  const type = (headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase();
  if (type !== 'application/json') {
    throw badRequest('The content type of the request must be application/json.', 'RequestDataInvalid');
  }
  try {
    const json = parseJsonText(body);
    if (isJsonObject(json)) return json;
  } catch (error) {
    if (!(error instanceof JsonTextError)) throw error;
  }
  throw badRequest('Invalid Request Body', 'RequestDataInvalid');
}
