import { isJsonObject, type JsonObject, type JsonValue } from '@app/mapper';
import { behaviourOf, type PortfolioRecord } from '@app/behaviour';
import {
  SimulatorCore,
  StateFile,
  SwitchBoard,
  type Fault,
  type FaultPlan,
  type RequestLog,
  type SimulatedClock,
  type Watch,
} from '../server';
import { Api } from './api';
import { editsOf } from './edits';
import { idText } from './ids';
import { TokenDesk } from './oauth';
import { RequestCounter } from './request-counter';
import { addAccount } from './resources/account';
import { addBudgetLines } from './resources/budget-lines';
import { addChangeOrders } from './resources/change-orders';
import { addContracts } from './resources/contracts';
import { addPayments } from './resources/payments';
import { addPeople } from './resources/people';
import { addProjects } from './resources/projects';
import { addProjectVendors } from './resources/project-vendors';
import { addRequisitions } from './resources/requisitions';
import { addTimecards } from './resources/timecards';
import { addUsers } from './resources/users';
import { addVendors } from './resources/vendors';
import { seedPortfolio } from './seed';
import { platformASwitches, type PlatformASwitches } from './switches';
import { Deliveries } from './webhooks/delivery';
import { kinds, World, type ChangeEvent, type Kind } from './world';

export interface PlatformAOptions {
  /** What it holds at the start, unless the state file has something; the sandbox's sample records when absent. */
  readonly portfolio?: readonly PortfolioRecord[];
  readonly clock?: SimulatedClock;
  readonly switches?: Partial<PlatformASwitches>;
  /** Where the state is kept over restarts; in memory alone when absent. */
  readonly stateFile?: string;
  /** Free ports when absent. */
  readonly ports?: { readonly api?: number; readonly login?: number; readonly control?: number };
  /** What IDs, tokens and the like are made from; 1 when absent. */
  readonly seed?: number;
  readonly faults?: readonly Fault[];
  readonly watch?: Watch;
}

/** What a customer enters to connect, but for the addresses. */
export interface PlatformACredentials {
  readonly client_id: string;
  readonly client_secret: string;
  readonly company_id: string;
}

/** The same as the control port, for tests in the same process. */
export interface PlatformAControl {
  readonly clock: SimulatedClock;
  readonly faults: FaultPlan;
  readonly log: RequestLog;
  readonly switches: SwitchBoard<PlatformASwitches>;
  /** Defects of the simulator itself; a test should end with none. */
  readonly defects: readonly unknown[];
  /** Runs an edit, such as `edit('change_record', { kind: 'projects', id: 225, set: { name: 'New' } })`. */
  edit(name: string, input?: JsonObject): JsonValue;
  /** All records of a resource as they are. */
  records(kind: Kind): readonly JsonObject[];
}

export interface RunningPlatformA {
  readonly apiUrl: string;
  readonly loginUrl: string;
  readonly controlUrl: string;
  readonly credentials: PlatformACredentials;
  readonly control: PlatformAControl;
  close(): Promise<void>;
}

const COMPANY = { id: '77410', name: 'Khaleej Meridian Contracting WLL' };
const CLIENT = { clientId: 'simulated-client-a', clientSecret: 'simulated-secret-a' };

/** Starts the project platform on 127.0.0.1: an API host, a login host and the control port. */
export async function startPlatformA(options: PlatformAOptions = {}): Promise<RunningPlatformA> {
  const switches = new SwitchBoard<PlatformASwitches>(platformASwitches, options.switches);
  const core = new SimulatorCore(switches, {
    ...(options.clock === undefined ? {} : { clock: options.clock }),
    seed: options.seed ?? 1,
  });
  const file = new StateFile(options.stateFile, () => ({
    world: world.toJson(),
    tokens: tokens.toJson(),
    hooks: deliveries.desk.toJson(),
  }));
  const changed = (): void => file.changed();
  const world = new World(core, COMPANY, changed);
  const tokens = new TokenDesk(CLIENT, core.clock, core.random, tokenSettings(switches), changed);
  const counter = new RequestCounter(
    core.clock,
    { spike: () => switches.get('spikeLimit'), hourly: () => switches.get('hourlyLimit') },
    () => switches.get('rateWindows') === 'rolling',
  );
  const kept = StateFile.read(options.stateFile);
  if (isJsonObject(kept)) {
    world.restore(isJsonObject(kept['world']) ? kept['world'] : {});
    tokens.restore(kept['tokens']);
  } else {
    seedPortfolio(world, options.portfolio ?? behaviourOf('platform_a').portfolio());
    changed();
  }
  if (options.watch !== undefined) world.onChange(watchedBy(options.watch));
  const deliveries = new Deliveries(world, CLIENT.clientId);
  if (isJsonObject(kept)) deliveries.desk.restore(kept['hooks']);

  const api = new Api(world, tokens, counter);
  for (const add of [
    addAccount,
    addProjects,
    addVendors,
    addProjectVendors,
    addContracts,
    addRequisitions,
    addPayments,
    addChangeOrders,
    addBudgetLines,
    addTimecards,
    addPeople,
    addUsers,
  ]) {
    add(api.operations);
  }
  deliveries.desk.addTo(api.operations);
  core.addEdits(editsOf({ world, tokens, counter, deliveries }));
  core.faults.add(...(options.faults ?? []));

  const { ports = {} } = options;
  const apiUrl = await core.serve((request) => api.answer(request), ports.api);
  const loginUrl = await core.serve((request) => tokens.answer(request), ports.login);
  const controlUrl = await core.serveControl(
    () => ({
      records: Object.fromEntries(kinds.map((kind) => [kind, world.tables[kind].size])),
      waiting_events: deliveries.waiting(),
    }),
    ports.control,
  );
  return {
    apiUrl,
    loginUrl,
    controlUrl,
    credentials: { client_id: CLIENT.clientId, client_secret: CLIENT.clientSecret, company_id: COMPANY.id },
    control: {
      clock: core.clock,
      faults: core.faults,
      log: core.log,
      switches,
      defects: core.defects,
      edit: (name, input = {}) => core.edit(name, input),
      records: (kind) => world.tables[kind].all(),
    },
    close: async () => {
      deliveries.close();
      await core.close();
      file.close();
    },
  };
}

function watchedBy(watch: Watch): (event: ChangeEvent) => void {
  return ({ kind, type, record, before, own }) =>
    watch({
      by: own ? 'api' : 'edit',
      table: kind,
      id: idText(record['id']) ?? '',
      before,
      after: type === 'delete' ? undefined : record,
    });
}

function tokenSettings(switches: SwitchBoard<PlatformASwitches>): {
  seconds(): number;
  invalidGrantStatus(): number;
} {
  return {
    seconds: () => switches.get('tokenSeconds'),
    invalidGrantStatus: () => switches.get('invalidGrantStatus'),
  };
}
