/**
 * The parts from which simulated platforms are built.
 *
 * A platform creates a {@link SimulatorCore} with its switches, adds its edits (`core.addEdits`), and starts servers
 * with `core.serve(answer, port)` and `core.serveControl(describeState, port)`. `answer` receives each complete
 * request and returns a {@link Reply}, or throws a {@link Refusal}; a {@link Router} finds handlers by method and
 * path, and `objectBodyOf` reads a JSON body with the spelling of its numbers. All time comes from `core.clock`, and
 * all random values from `core.random`. The platform owns its state; a {@link StateFile} keeps it across restarts.
 *
 * Faults (`core.faults.add({ match: { method: 'POST', path: '/vendors' }, kind: 'reset_after' })`), the log of
 * requests and the control port work for every platform without further code.
 */
export { contentTypeOf, formBodyOf, jsonBodyOf, objectBodyOf } from './bodies';
export { SimulatedClock } from './clock';
export { Refusal, type Answerer, type Reply, type SimulatedRequest } from './exchange';
export { FaultPlan, type Fault, type FaultMatch } from './faults';
export { ControlError } from './read-faults';
export { RequestLog, type LoggedRequest } from './request-log';
export { Router, type PathParameters, type Routed } from './router';
export { SeededRandom } from './seeded-random';
export { SimulatorCore, type Edit, type SimulatorOptions } from './simulator';
export { StateFile } from './state-file';
export {
  SwitchBoard,
  SwitchError,
  switchesFromText,
  type SwitchDefinition,
  type SwitchDefinitions,
  type SwitchValue,
} from './switches';
export type { Watch, WatchedWrite } from './watched-write';
