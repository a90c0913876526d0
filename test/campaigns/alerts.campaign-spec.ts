// A real Prometheus loads the alert rules, with their times a thirtieth, and scrapes the service under load: each alert is made to fire and to cease, and the dashboard's queries are run.
import { setTimeout as sleep } from 'node:timers/promises';
import { keptCommandsOn } from '../e2e/cli/run-command';
import { keysSetting, masterKey } from '../e2e/credentials/master-keys';
import type { AlertCause, PrepareCause } from '../support/alerts/alert-cause';
import { lastingCauses } from '../support/alerts/lasting-causes';
import { shortCauses } from '../support/alerts/short-causes';
import { startUsualLoad, type UsualLoad } from '../support/alerts/usual-load';
import { WatchedService } from '../support/alerts/watched-service';
import { campaign } from '../support/campaign/campaign';
import { JOB, startPrometheus, type RunningPrometheus } from '../support/prometheus/prometheus';
import { shortenedRules } from '../support/prometheus/shortened-rules';
import { dashboard } from '../deploy/dashboard';
import { knownMetrics } from '../deploy/known-metrics';
import { checkPromql } from '../deploy/promql';
import { textOf } from '../deploy/project';
import { yamlDocument } from '../deploy/yaml-file';

const RULES = 'deploy/prometheus/alerts.yaml';
/** The divisor of the times of the rules. */
const FACTOR = 30;
/** Milliseconds after which an alert that does not start or stop counts as lost. */
const LONGEST = 420_000;

const rules = yamlDocument<{ groups: { rules: { alert: string; expr: string }[] }[] }>(RULES).groups.flatMap(
  (group) => group.rules,
);
const queries = dashboard().panels.flatMap(({ title, targets = [] }) =>
  targets.map(({ expr }) => ({ title, expr })),
);

campaign('alerts', (figures) => {
  const key = masterKey('watched');
  const operator = keptCommandsOn(() => service.databaseUrl, { CREDENTIALS_KEYS: keysSetting(key) });
  let prometheus: RunningPrometheus;
  let service: WatchedService;
  let load: UsualLoad;
  let begun = 0;
  beforeAll(async () => {
    prometheus = await startPrometheus(shortenedRules(textOf(RULES), FACTOR));
    service = await WatchedService.start(key, operator.piped, (urls) => prometheus.scrape(urls));
    await service.begin();
    begun = Date.now();
    load = await startUsualLoad(service);
  });
  afterAll(async () => {
    await load.stop();
    await service.close();
    await prometheus.close();
  });

  async function prepared(list: readonly PrepareCause[]): Promise<readonly AlertCause[]> {
    const causes: AlertCause[] = [];
    for (const prepare of list) causes.push(await prepare(service));
    return causes;
  }

  /** Waits until alerts fire, or until none of them fires any more. */
  async function until(alerts: readonly string[], isFiring: boolean, meanwhile?: () => Promise<void>) {
    const limit = Date.now() + LONGEST;
    const missing = async () => {
      const states = await prometheus.rules();
      expect(states.filter(({ lastError }) => lastError !== undefined)).toEqual([]);
      return states.filter(({ name, state }) => alerts.includes(name) && (state === 'firing') !== isFiring);
    };
    while ((await missing()).length > 0) {
      if (Date.now() > limit) throw new Error(`${alerts.join()}: not ${isFiring ? 'firing' : 'ceased'}`);
      await meanwhile?.();
      await sleep(250);
    }
    figures.count(isFiring ? 'alerts fired' : 'ceased', alerts.length);
  }

  /** Waits until the alerts of a started fault fire, repairs the fault, and waits until they have stopped. */
  async function passes({ alerts, meanwhile, end }: AlertCause): Promise<void> {
    await until(alerts, true, meanwhile);
    await end();
    await until(alerts, false);
  }

  figures.part('each alert fires once for its cause, and ceases after it', async () => {
    const [together, apart] = [await prepared(lastingCauses), await prepared(shortCauses)];
    const tried = [...together, ...apart].flatMap(({ alerts }) => alerts);
    expect([...tried].sort()).toEqual((await prometheus.rules()).map(({ name }) => name).sort());
    for (const cause of apart) {
      await cause.begin();
      await passes(cause);
    }
    for (const { begin } of together) await begin();
    const ends = await Promise.allSettled(together.map(passes));
    expect(ends.filter(({ status }) => status === 'rejected')).toEqual([]);
  });

  figures.part('rules and dashboard read nothing that the service does not show', async () => {
    const known = await knownMetrics();
    const asked = [...rules, ...queries].flatMap(({ expr }) =>
      checkPromql(expr, known).selectors.map(({ name }) => name),
    );
    const shown = await prometheus.names();
    expect([...new Set(asked)].filter((name) => !shown.includes(name))).toEqual([]);
    figures.count('metrics', new Set(asked).size);
  });

  figures.part('every query of the dashboard returns data', async () => {
    const minutes = (Date.now() - begun) / 60_000;
    const silent: string[] = [];
    for (const { title, expr } of queries) {
      const query = expr
        .replaceAll('$job', JOB)
        .replaceAll('$instance', '.+')
        .replaceAll('$__rate_interval', '30s');
      const series = await prometheus.range(query, minutes);
      const hasData = series.some(({ values }) => values.some(([, value]) => value !== 'NaN'));
      if (hasData) figures.count('queries with data');
      else silent.push(`${title}: ${expr}`);
    }
    expect(silent).toEqual([]);
  });
});
