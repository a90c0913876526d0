import type { JsonObject, JsonValue } from '@app/mapper';
import { behaviourOf, type PortfolioRecord } from '@app/behaviour';
import {
  SimulatorCore,
  StateFile,
  type Fault,
  type FaultPlan,
  type RequestLog,
  type SimulatedClock,
  type WatchedWrite,
  type Watch,
} from '../server';
import { Company, type Cause } from './company/company';
import { loadPortfolio } from './company/load';
import { companyEdits, shownRow } from './edits';
import { Answers } from './responses';
import { rootPaths, tokenPath, type Place } from './http/root';
import { SCOPE, type Client } from './http/tokens';
import type { TableName } from './model/entity-set';
import { CASH_RECEIPTS } from './model/master-pages';
import { restoreSaved, savedState } from './saved-state';
import { textOf } from './store/row';
import { tableNames, type Change } from './store/store';
import { switchBoard, type PlatformBSwitches, type Switches } from './switches';
import { postJson, shakeHands } from './webhooks/network';
import type { Delivery } from './webhooks/notifier';

export interface PlatformBOptions {
  /** The records at the start; the sandbox's sample when absent. */
  readonly portfolio?: readonly PortfolioRecord[];
  readonly clock?: SimulatedClock;
  readonly seed?: number;
  readonly switches?: Partial<PlatformBSwitches>;
  /** The company's name, by which it can be addressed like by its ID. */
  readonly companyName?: string;
  /** A file that keeps the state over restarts. When it is there, it counts and the portfolio does not. */
  readonly stateFile?: string;
  /** Free ports when absent. */
  readonly ports?: { readonly api?: number; readonly login?: number; readonly control?: number };
  readonly faults?: readonly Fault[];
  readonly watch?: Watch;
}

/** What a customer's connection needs. */
export interface PlatformBCredentials {
  readonly client_id: string;
  readonly client_secret: string;
  readonly company_id: string;
  readonly scope: string;
  /** The code of the batch that receipts go to. */
  readonly journal: string;
}

/** A write that had an effect: through the API, by a user at a screen, or by a reading of a draft. */
export interface Effect {
  readonly at: string;
  readonly by: Exclude<Cause, 'setup'>;
  readonly table: TableName;
  readonly id: string;
  readonly kind: 'created' | 'updated' | 'deleted';
}

/** What a test may see and do in the same process. Over the control port there is the same but for functions. */
export interface PlatformBControl {
  readonly clock: SimulatedClock;
  readonly faults: FaultPlan;
  readonly log: RequestLog;
  readonly switches: Switches;
  readonly defects: readonly unknown[];
  /** Runs an edit, as `POST /state/<name>` does. @throws ControlError */
  edit(name: string, input?: JsonObject): JsonValue;
  /** The rows of a table as they are stored. Looking changes nothing. */
  records(table: TableName): readonly JsonObject[];
  record(table: TableName, id: string): JsonObject | undefined;
  /** What was written, in order. */
  readonly effects: readonly Effect[];
  /** Most requests that ran at once for one client, and how many were refused by a limit. */
  load(): { readonly mostRunning: number; readonly refusals: number };
  /** Bodies sent to subscribers. */
  readonly deliveries: readonly Delivery[];
  /** Sends gathered notices now, and waits for what is being sent. */
  flushWebhooks(): Promise<void>;
}

export interface RunningPlatformB {
  /** Ends in `/api/v2.0`. */
  readonly apiUrl: string;
  readonly tokenUrl: string;
  /** The whole address of the custom page of payments. */
  readonly paymentsUrl: string;
  readonly controlUrl: string;
  readonly credentials: PlatformBCredentials;
  readonly control: PlatformBControl;
  close(): Promise<void>;
}

const place: Place = {
  tenant: '1f0b6d5e-6a53-4d6f-9c0e-3d7a2b9c4e10',
  environment: 'Production',
  publisher: 'contoso',
  group: 'construction',
};
const COMPANY_ID = '6c5e0f1a-9d2b-4c7e-8f30-2b1d4a6c8e90';
const COMPANY_NAME = 'CRONUS Construction';

/** Starts the ERP on 127.0.0.1: an API host, a login host and the control port. */
export async function startPlatformB(options: PlatformBOptions = {}): Promise<RunningPlatformB> {
  const core = new SimulatorCore(switchBoard(options.switches), {
    ...(options.clock !== undefined && { clock: options.clock }),
    ...(options.seed !== undefined && { seed: options.seed }),
  });
  const client: Client = { id: core.random.guid(), secret: core.random.hex(40) };
  const behaviour = behaviourOf('platform_b');
  const effects: Effect[] = [];
  const facts = {
    id: COMPANY_ID,
    name: options.companyName ?? COMPANY_NAME,
    localCurrency: behaviour.currency,
  };
  const company: Company = new Company(facts, core.switches, core.clock, core.random, (changes, cause) => {
    if (cause === 'setup') return;
    effects.push(...effectsOf(changes, cause, core.clock.date()));
    if (options.watch !== undefined) watchedOf(changes, cause).forEach(options.watch);
    answers.committed(changes);
    state.changed();
  });
  const answers = new Answers(core, company, place, { post: postJson, shakeHands });
  const state = new StateFile(options.stateFile, () => savedState(company, answers.subscriptions));
  const kept = StateFile.read(options.stateFile);
  if (kept === undefined) loadPortfolio(company, options.portfolio ?? behaviour.portfolio());
  else restoreSaved(company, answers.subscriptions, kept);
  state.changed();
  answers.tokens.register(client);
  core.addEdits({ ...companyEdits(company), ...answers.edits() });
  core.faults.add(...(options.faults ?? []));
  const { ports = {} } = options;
  const address = await core.serve((request) => answers.answer(request), ports.api);
  const login = await core.serve((request) => answers.answerLogin(request), ports.login);
  const controlUrl = await core.serveControl(() => described(company, effects), ports.control);
  const paths = rootPaths(place);
  return {
    apiUrl: address + paths.standard,
    tokenUrl: login + tokenPath(place),
    paymentsUrl: `${address}${paths.custom}/companies(${COMPANY_ID})/customerPayments`,
    controlUrl,
    credentials: {
      client_id: client.id,
      client_secret: client.secret,
      company_id: COMPANY_ID,
      scope: SCOPE,
      journal: journalOf(company),
    },
    control: controlOf(core, company, answers, effects),
    close: async () => {
      await core.close();
      state.close();
    },
  };
}

function controlOf(
  core: SimulatorCore<PlatformBSwitches>,
  company: Company,
  answers: Answers,
  effects: readonly Effect[],
): PlatformBControl {
  return {
    clock: core.clock,
    faults: core.faults,
    log: core.log,
    switches: core.switches,
    defects: core.defects,
    effects,
    deliveries: answers.notifier.deliveries,
    edit: (name, input = {}) => core.edit(name, input),
    records: (table) => [...company.store.table(table).all()].map(shownRow),
    record: (table, id) => {
      const row = company.store.table(table).get(id);
      return row === undefined ? undefined : shownRow(row);
    },
    load: () => ({ mostRunning: answers.limiter.mostRunning, refusals: answers.limiter.refusals }),
    flushWebhooks: () => answers.notifier.flush(),
  };
}

function effectsOf(changes: readonly Change[], by: Effect['by'], at: Date): readonly Effect[] {
  return changes.map(({ table, id, before, after }): Effect => ({
    at: at.toISOString(),
    by,
    table,
    id,
    kind: after === undefined ? 'deleted' : before === undefined ? 'created' : 'updated',
  }));
}

function watchedOf(changes: readonly Change[], by: Effect['by']): readonly WatchedWrite[] {
  return changes.map(({ table, id, before, after }) => ({
    by,
    table,
    id,
    before: before && shownRow(before),
    after: after && shownRow(after),
  }));
}

function described(company: Company, effects: readonly Effect[]): JsonObject {
  const { id, name, localCurrency } = company.facts;
  return {
    company: { id, name, localCurrency },
    records: Object.fromEntries(tableNames.map((table) => [table, company.store.table(table).size])),
    effects: effects.length,
  };
}

function journalOf(company: Company): string {
  const [journal] = company.store.table('customerPaymentJournals').by('templateDisplayName', CASH_RECEIPTS);
  return journal === undefined ? '' : textOf(journal, 'code');
}
