import { setTimeout as sleep } from 'node:timers/promises';
import { stringifyJson, type JsonObject, type PlatformName } from '@app/mapper';
import type { MasterKey } from '../../../src/runtime/config/credentials-keys';
import type { Ran } from '../../e2e/cli/run-command';
import { keysSetting } from '../../e2e/credentials/master-keys';
import { api } from '../app/api';
import { startApp, type RunningApp } from '../app/app';
import { endBackgroundTasks } from '../app/background-tasks';
import { migratedDatabase, type TestDatabase } from '../database/database';
import { startDatabaseProxy, type DatabaseProxy } from '../database/database-proxy';
import { startOtlpReceiver } from '../http/otlp-receiver';
import { openPublicAddress, type PublicAddress } from '../http/public-address';
import { startServiceProcess, type ServiceProcess } from '../processes/service-process';
import { StoredRecords } from '../database/stored-records';
import { startReceiver, type WebhookReceiver } from '../http/webhook-receiver';
import {
  simulatedA,
  simulatedB,
  type SimulatedA,
  type SimulatedB,
  type SimulatedPlatform,
} from './simulated-platform';

/** An instance of the service whose metrics the test reads. */
export interface WatchedInstance extends ServiceProcess {
  readonly metricsUrl: string;
}

/** Settings of an instance that differ from those of the others. */
export interface InstanceOptions {
  readonly skewMs?: number;
  readonly env?: Readonly<Record<string, string>>;
}

/** A customer and its key. */
export interface WatchedCustomer {
  readonly customerId: string;
  readonly key: string;
}

/** Runs a command of the operator with an input. */
export type Operate = (input: string, ...args: string[]) => Promise<Ran>;

type WebResponse = Awaited<ReturnType<ReturnType<typeof api>['get']>>;

/** Instances on a database that can become unreachable, and the actions of an operator and of the platforms. */
export class WatchedService {
  private running: WatchedInstance[] = [];
  /** Platforms and receivers that instances may call until the end. */
  private readonly called: { close(): Promise<void> }[] = [];

  private constructor(
    private readonly database: TestDatabase,
    /** The proxy between the instances and their database. */
    readonly proxy: DatabaseProxy,
    readonly stored: StoredRecords,
    private readonly office: RunningApp,
    private readonly address: PublicAddress,
    private readonly env: Readonly<Record<string, string>>,
    private readonly command: Operate,
    /** Called with the metrics addresses of all instances whenever an instance starts or stops. */
    private readonly onInstances: (urls: readonly string[]) => void,
  ) {}

  /**
   * Starts everything except the first instance.
   *
   * @param key seals the credentials, also those that commands store
   */
  static async start(
    key: MasterKey,
    command: Operate,
    onInstances: (urls: readonly string[]) => void,
  ): Promise<WatchedService> {
    const database = await migratedDatabase();
    const office = await startApp({ databaseUrl: database.url, credentialsKeys: [key] });
    await endBackgroundTasks(office.app);
    const address = await openPublicAddress();
    const collector = await startOtlpReceiver();
    const service = new WatchedService(
      database,
      await startDatabaseProxy(database.url),
      await StoredRecords.open(database.url),
      office,
      address,
      {
        CREDENTIALS_KEYS: keysSetting(key),
        WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8',
        PUBLIC_URL: address.url,
        METRICS_PORT: '0',
        PROPAGATE_WAIT: '0',
        DEMO_SESSION_TTL: '20s',
        OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      },
      command,
      onInstances,
    );
    service.called.push(collector);
    return service;
  }

  async begin({ env = {}, skewMs = 0 }: InstanceOptions = {}): Promise<WatchedInstance> {
    const service = await startServiceProcess(this.proxy.url, {
      main: 'run-unlimited-service.ts',
      env: { ...this.env, ...env },
      logLevel: 'info',
      skewMs,
    });
    const line = () => service.output.find((each) => each.includes('Metrics are served'));
    while (line() === undefined) await sleep(50);
    const { url: metricsUrl } = JSON.parse(line() ?? '') as { url: string }; // As the service logs it.
    const instance = Object.assign(service, { metricsUrl });
    this.running.push(instance);
    this.told();
    return instance;
  }

  /** The instance that has run longest. */
  get first(): WatchedInstance {
    const [first] = this.running;
    if (first === undefined) throw new Error('No instance runs');
    return first;
  }

  get databaseUrl(): string {
    return this.database.url;
  }

  /** Starts an instance with the usual settings, and then stops another one. */
  async replace(instance: WatchedInstance): Promise<void> {
    await this.begin();
    this.running = this.running.filter((one) => one !== instance);
    this.told();
    await instance.stop();
  }

  /** Stops all instances. The scraper is not informed. */
  async endAll(): Promise<void> {
    for (const instance of this.running.splice(0)) await instance.stop();
  }

  private told(): void {
    this.address.instances.splice(0, Infinity, ...this.running.map(({ url }) => url));
    this.onInstances(this.running.map(({ metricsUrl }) => metricsUrl));
  }

  async platformA(): Promise<SimulatedA> {
    const platform = await simulatedA();
    this.called.push(platform.running);
    return platform;
  }

  async platformB(): Promise<SimulatedB> {
    const platform = await simulatedB();
    this.called.push(platform.running);
    return platform;
  }

  /** Starts a receiver of webhook deliveries. */
  async receiver(): Promise<WebhookReceiver> {
    const receiver = await startReceiver();
    this.called.push(receiver);
    return receiver;
  }

  aCustomer(): Promise<WatchedCustomer> {
    return this.office.issueKey('live');
  }

  /** A client for a customer. It calls the instance that has run longest unless another one is given. */
  of({ key }: WatchedCustomer, instance: Pick<ServiceProcess, 'url'> = this.first) {
    return api(instance.url, key);
  }

  /** Connects platforms: live if the customer has credentials, otherwise sandboxes. */
  async connect(
    customer: WatchedCustomer,
    ...platforms: readonly PlatformName[]
  ): Promise<readonly WebResponse[]> {
    const answers: WebResponse[] = [];
    for (const platform of platforms) answers.push(await this.of(customer).post('/connect', { platform }));
    return answers;
  }

  /**
   * Runs an operator command.
   *
   * @throws Error with the output of the command if it fails
   */
  async operate(args: readonly string[], input = ''): Promise<ReturnType<typeof JSON.parse>> {
    const { code, out, err } = await this.command(input, ...args, '--json');
    if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}: ${err}`);
    return JSON.parse(out);
  }

  /** Gives a customer a live connection to a simulated platform. @param changed credentials that differ from the right ones */
  async goLive(
    customer: WatchedCustomer,
    platform: SimulatedPlatform,
    changed: JsonObject = {},
  ): Promise<void> {
    const of = ['--customer', customer.customerId, '--platform', platform.name];
    const credentials = stringifyJson({ ...platform.credentials, ...changed });
    await this.operate(['connections', 'set', ...of], credentials);
  }

  async close(): Promise<void> {
    for (const instance of [...this.running]) await instance.kill();
    for (const one of this.called) await one.close();
    await this.stored.close();
    await this.office.close();
    await this.address.close();
    await this.proxy.stop();
    await this.database.drop();
  }
}
