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

/** The parts of a platform that the control port can change and show. */
export interface Controlled extends ServerShared {
  /** The switches of the platform, see {@link SwitchBoard}. */
  readonly switches: { setAll(values: JsonObject): void; toJson(): JsonObject };
  /** The names of the edits, each with a sentence about its input. */
  describeEdits(): JsonObject;
  /** The numbers of stored records and the like; never a secret. */
  describeState(): JsonObject;
}

type ControlHandler = (input: JsonValue, parameters: PathParameters, request: SimulatedRequest) => JsonValue;

/**
 * The port by which a person or another process controls a simulator:
 *
 * - `GET|POST|DELETE /faults`: the planned faults, see {@link Fault};
 * - `GET|DELETE /requests`: the received requests (`?matching=` takes a regular expression for `METHOD path?query`);
 * - `GET|PATCH /switches`: the switches for unconfirmed behaviour;
 * - `GET /state`, `POST /state/<edit>`: the stored state, and changes by other users;
 * - `GET /clock`, `POST /clock {"advance_ms"}`: the simulated time;
 * - `GET /defects`: defects of the simulator.
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
  // Requests to the control port get no faults and are not in the log of the platform.
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
  // Functions, which only tests can supply, are left out.
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
