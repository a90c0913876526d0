import { pauseUntilNext } from '../../src/sync/schedule/pauses';
import { knownMetrics, type KnownMetrics } from './known-metrics';
import { checkPromql } from './promql';
import { textOf } from './project';
import { yamlDocument } from './yaml-file';

interface Alert {
  readonly alert: string;
  readonly expr: string;
  readonly for: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly summary: string; readonly description: string };
}

const { groups } = yamlDocument<{ groups: readonly { name: string; rules: readonly Alert[] }[] }>(
  'deploy/prometheus/alerts.yaml',
);
const alerts = groups.flatMap(({ rules }) => rules);

let known: KnownMetrics;
beforeAll(async () => {
  known = await knownMetrics();
});

describe('the alerts', () => {
  it.each(alerts.map((rule) => [rule.alert, rule] as const))('%s asks for what is there', (_name, rule) => {
    const { problems, labels } = checkPromql(rule.expr, known);
    expect(problems).toEqual([]);
    const named = [rule.annotations.summary, rule.annotations.description].flatMap((text) =>
      [...text.matchAll(/\$labels\.(\w+)/g)].map(([, label]) => label),
    );
    expect(named.filter((label) => !labels.has(label ?? ''))).toEqual([]);
  });

  it.each(alerts.map((rule) => [rule.alert, rule] as const))(
    '%s is about this service alone, whatever else has metrics of the same name',
    (_name, { expr }) => {
      const asked = checkPromql(expr, known).selectors.map(({ name }) => name);
      expect(asked).toContainEqual(expect.stringMatching(/^translation_/));
    },
  );

  it('wait before they notify, and have a severity', () => {
    expect(alerts.length).toBeGreaterThan(0);
    for (const rule of alerts) {
      expect(rule).toEqual({
        alert: expect.stringMatching(/^Translation[A-Z]\w+$/),
        expr: expect.any(String),
        for: expect.stringMatching(/^\d+m$/),
        labels: { severity: expect.stringMatching(/^(critical|warning)$/) },
        annotations: { summary: expect.any(String), description: expect.stringMatching(/\.$/) },
      });
    }
    expect(new Set(alerts.map(({ alert }) => alert)).size).toBe(alerts.length);
  });

  it('look back for longer than the schedule waits after a reading that failed, and as long for one that succeeded', () => {
    const unreadable = alerts.find(({ alert }) => alert === 'TranslationPlatformUnreadable');
    const windows = [...(unreadable?.expr ?? '').matchAll(/\[(\w+)\]/g)].map(([, window]) => window);
    expect(windows).toEqual(['90m', '90m']);
    expect(90 * 60_000).toBeGreaterThan(pauseUntilNext(60_000, 100, 1));
  });

  it('are explained, each with what to do', () => {
    const explained = [...textOf('docs/operations.md').matchAll(/^- `(Translation\w+)`/gm)].map(
      ([, name]) => name,
    );
    expect(explained).toEqual(alerts.map(({ alert }) => alert));
  });
});

describe('the examples of PromQL in the page about operations', () => {
  const [, block = ''] = /^```promql\n(.*?)^```$/ms.exec(textOf('docs/operations.md')) ?? [];
  const examples = block.split('\n').filter((line) => line !== '' && !line.startsWith('#'));

  it('are there', () => {
    expect(examples.length).toBeGreaterThan(2);
  });

  it.each(examples)('ask for what is there: %s', (example) => {
    expect(checkPromql(example, known).problems).toEqual([]);
  });
});
