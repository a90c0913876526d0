import { isJsonObject, type JsonObject, type JsonValue } from '@app/mapper';
import { SimulatedClock } from './clock';
import { controlServer } from './control-server';
import type { Answerer } from './exchange';
import { FaultPlan } from './faults';
import { ControlError } from './read-faults';
import { RequestLog } from './request-log';
import { SeededRandom } from './seeded-random';
import { SimulatedServer, type ServerShared } from './simulated-server';
import type { SwitchBoard } from './switches';

/** A change of a platform from outside its API: by a user, an administrator, or another program. */
export interface Edit {
  /** Its input and effect in one sentence. */
  readonly about: string;
  /** Throws a {@link ControlError} for invalid input. The result is for the sender. */
  run(input: JsonObject): JsonValue;
}

export interface SimulatorOptions {
  readonly clock?: SimulatedClock;
  readonly seed?: number;
}

/** The parts of a simulator: time, random values, faults, log, edits, and any number of servers. */
export class SimulatorCore<Switches extends object> implements ServerShared {
  readonly clock: SimulatedClock;
  readonly random: SeededRandom;
  readonly faults = new FaultPlan();
  readonly log = new RequestLog();
  readonly defects: unknown[] = [];
  private readonly edits = new Map<string, Edit>();
  private readonly servers: SimulatedServer[] = [];
  private requests = 0;

  constructor(
    readonly switches: SwitchBoard<Switches>,
    options: SimulatorOptions = {},
  ) {
    this.clock = options.clock ?? new SimulatedClock();
    this.random = new SeededRandom(options.seed ?? 1);
  }

  nextNumber(): number {
    return (this.requests += 1);
  }

  /** Adds edits by name; `POST /state/<name>` and faults of kind `edit` run them. */
  addEdits(edits: Readonly<Record<string, Edit>>): void {
    for (const [name, edit] of Object.entries(edits)) this.edits.set(name, edit);
  }

  /** @throws ControlError for an unknown edit or invalid input */
  edit(name: string, input: JsonValue): JsonValue {
    const edit = this.edits.get(name);
    if (edit === undefined) {
      throw new ControlError(`There is no edit "${name}", but ${[...this.edits.keys()].join(', ')}`);
    }
    if (!isJsonObject(input)) throw new ControlError('the input of an edit is a JSON object');
    return edit.run(input);
  }

  /** Starts a server of the platform; returns its address. */
  async serve(answer: Answerer, port = 0): Promise<string> {
    const server = new SimulatedServer(answer, this);
    this.servers.push(server);
    return server.listen(port);
  }

  /** Starts the control port; returns its address. */
  async serveControl(describeState: () => JsonObject, port = 0): Promise<string> {
    const edits = (): JsonObject =>
      Object.fromEntries([...this.edits].map(([name, { about }]) => [name, about]));
    const server = controlServer({
      clock: this.clock,
      faults: this.faults,
      log: this.log,
      defects: this.defects,
      switches: this.switches,
      nextNumber: () => this.nextNumber(),
      edit: (name, input) => this.edit(name, input),
      describeEdits: edits,
      describeState,
    });
    this.servers.push(server);
    return server.listen(port);
  }

  /** Closes all servers and cancels all timers. */
  async close(): Promise<void> {
    await Promise.all(this.servers.map((server) => server.close()));
    this.clock.stop();
  }
}
