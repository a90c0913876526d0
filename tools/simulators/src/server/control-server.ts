import { isJsonObject, parseJsonText, type JsonObject, type JsonValue } from '@app/mapper';
import { jsonBodyOf } from './bodies';
import { SimulatedClock } from './clock';
import { Refusal, type Reply, type SimulatedRequest } from './exchange';
import { FaultPlan } from './faults';
import { ControlError, readFaults } from './read-faults';
import { RequestLog } from './request-log';
import { Router, type PathParameters } from './router';
import { SimulatedServer, type ServerShared } from './simulated-server';
import { SwitchError } from './switches';

/** What the control port may do to a platform. */
export interface Controlled extends ServerShared {
  /** The platform's switches, as {@link SwitchBoard} has them. */
  readonly switches: { setAll(values: JsonObject): void; toJson(): JsonObject };
  /** Names of the edits, each with a sentence about what it takes. */
  describeEdits(): JsonObject;
  /** What the platform holds, in numbers; never a secret. */
  describeState(): JsonObject;
}

type ControlHandler = (input: JsonValue, parameters: PathParameters, request: SimulatedRequest) => JsonValue;

/**
 * The port by which a person or another process sets what happens to a simulator:
 *
 * - `GET|POST|DELETE /faults` — the plan of faults, see {@link Fault};
 * - `GET|DELETE /requests` — what was asked (`?matching=` takes a regular expression for `METHOD path?query`);
 * - `GET|PATCH /switches` — the points that are not confirmed;
 * - `GET /state`, `POST /state/<edit>` — what the platform holds, and what happens to it from elsewhere;
 * - `GET /clock`, `POST /clock {"advance_ms"}` — its time;
 * - `GET /defects` — defects of the simulator.
 */
export function controlServer(controlled: Controlled): SimulatedServer {
  const router = routesOf(controlled);
  const answer = (request: SimulatedRequest): Reply => {
    const found = router.find(request.method, request.path);
    if (found.kind !== 'handler') return { status: 404, json: { error: 'unknown path or method' } };
    const input = request.body === '' ? {} : jsonBodyOf(request);
    if (input === undefined) return { status: 400, json: { error: 'the body is not JSON' } };
    try {
      return { status: 200, json: found.handler(input, found.parameters, request) };
    } catch (error) {
      if (error instanceof Refusal) return error.reply;
      if (error instanceof ControlError || error instanceof SwitchError) {
        return { status: 400, json: { error: error.message } };
      }
      throw error;
    }
  };
  // Its own requests are neither faulted nor logged with those of the platform.
  let number = 0;
  return new SimulatedServer(answer, {
    clock: controlled.clock,
    faults: new FaultPlan(),
    log: new RequestLog(),
    defects: controlled.defects,
    nextNumber: () => (number += 1),
    edit: () => null,
  });
}

function routesOf(controlled: Controlled): Router<ControlHandler> {
  const { clock, faults, log, switches } = controlled;
  return new Router<ControlHandler>()
    .route('GET', '/faults', () => faults.list().map(({ id, fault, met }) => shownFault(id, fault, met)))
    .route('POST', '/faults', (input) => ({ ids: [...faults.add(...readFaults(input))] }))
    .route('DELETE', '/faults', () => {
      faults.clear();
      return {};
    })
    .route('GET', '/requests', (_input, _parameters, { query }) => {
      const matching = query.get('matching');
      const entries = log.list(matching === null ? undefined : expressionOf(matching));
      return entries.map((entry): JsonObject => ({ ...entry, faults: [...entry.faults] }));
    })
    .route('DELETE', '/requests', () => {
      log.clear();
      return {};
    })
    .route('GET', '/switches', () => switches.toJson())
    .route('PATCH', '/switches', (input) => {
      if (!isJsonObject(input)) throw new ControlError('the body is an object of switches');
      switches.setAll(input);
      return switches.toJson();
    })
    .route('GET', '/state', () => ({
      ...controlled.describeState(),
      edits: controlled.describeEdits(),
    }))
    .route('POST', '/state/{edit}', (input, { edit = '' }) => controlled.edit(edit, input))
    .route('GET', '/clock', () => shownTime(clock))
    .route('POST', '/clock', (input) => {
      const advance = isJsonObject(input) ? input['advance_ms'] : undefined;
      if (typeof advance !== 'number' || !(advance >= 0)) {
        throw new ControlError('"advance_ms" is a number, not below 0');
      }
      clock.advance(advance);
      return shownTime(clock);
    })
    .route('GET', '/defects', () => controlled.defects.map((defect) => String(defect)));
}

function shownFault(id: number, fault: object, met: number): JsonObject {
  // Functions, which a test may have given, are left out.
  const shown = parseJsonText(JSON.stringify(fault));
  return { id, met, ...(isJsonObject(shown) ? shown : {}) };
}

function shownTime(clock: SimulatedClock): JsonObject {
  return { now: clock.date().toISOString(), factor: clock.factor };
}

function expressionOf(text: string): RegExp {
  try {
    return new RegExp(text);
  } catch {
    throw new ControlError('"matching" is a regular expression');
  }
}
