import { dashboard, overlap, type GridPosition } from './dashboard';
import { knownMetrics, ownMetrics, type KnownMetrics } from './known-metrics';
import { checkPromql } from './promql';

const { panels, templating, schemaVersion } = dashboard();
const graphs = panels.filter(({ type }) => type !== 'row');
const targets = graphs.flatMap(({ title, targets: each = [] }) =>
  each.map((target) => ({ title, ...target })),
);
const source = { type: 'prometheus', uid: '${datasource}' };

let known: KnownMetrics;
beforeAll(async () => {
  known = await knownMetrics();
});

describe('the dashboard', () => {
  it('is one of Grafana 11, whose reader chooses data source, job and instance', () => {
    expect(schemaVersion).toBe(39);
    expect(templating.list.map(({ name, type }) => [name, type])).toEqual([
      ['datasource', 'datasource'],
      ['job', 'query'],
      ['instance', 'query'],
    ]);
  });

  it('asks the chosen data source alone', () => {
    const [, ...queries] = templating.list;
    for (const { datasource } of [...queries, ...graphs, ...targets]) expect(datasource).toEqual(source);
  });

  it('finds jobs and instances by a metric that other services do not have', () => {
    const queries = templating.list.slice(1).map(({ query, definition, name }) => {
      const text = typeof query === 'string' ? query : query.query;
      expect(definition).toBe(text);
      const [, expression = '', label] = /^label_values\((.+), (\w+)\)$/.exec(text) ?? [];
      expect(label).toBe(name);
      return checkPromql(expression, known);
    });
    expect(queries.flatMap(({ problems }) => problems)).toEqual([]);
    const asked = queries.flatMap(({ selectors }) => selectors.map((selector) => selector.name));
    expect(asked.filter((name) => !name.startsWith('translation_'))).toEqual([]);
  });

  it.each(targets.map((target) => [target.title, target.expr, target] as const))(
    '%s: %s',
    (_title, expression, { legendFormat }) => {
      const { problems, selectors, labels } = checkPromql(expression, known);
      expect(problems).toEqual([]);
      for (const { matchers } of selectors) {
        expect(Object.fromEntries(matchers)).toMatchObject({ job: '$job', instance: '$instance' });
      }
      const shown = [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, label]) => label);
      expect(shown.filter((label) => !labels.has(label ?? ''))).toEqual([]);
      const variables = [...expression.matchAll(/\$(\w+)/g)].map(([, name]) => name);
      const offered = [...templating.list.map(({ name }) => name), '__rate_interval'];
      expect(variables.filter((name) => !offered.includes(name ?? ''))).toEqual([]);
    },
  );

  it('shows every metric of the service', () => {
    const shown = targets.flatMap(({ expr }) =>
      checkPromql(expr, known).selectors.map(({ name }) => known.get(name)?.metric),
    );
    expect(ownMetrics().length).toBeGreaterThan(5);
    expect(ownMetrics().filter((name) => !shown.includes(name))).toEqual([]);
  });

  it('has a row for each subject', () => {
    const rows = panels.filter(({ type }) => type === 'row').map(({ title }) => title);
    expect(rows).toEqual([
      'Requests',
      'Database',
      'Connects and records',
      'Propagations',
      'Calls to platforms',
      'Demo sessions',
      'Process',
      'Readings of platforms',
      'Comparisons for statements',
      'What customers store',
      'What waits for a person',
    ]);
  });

  it('gives each panel and query a name of its own, and each panel a description', () => {
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
    expect(new Set(panels.map(({ title }) => title)).size).toBe(panels.length);
    for (const { title, description, targets: each = [] } of graphs) {
      expect({ title, description }).toEqual({ title, description: expect.stringMatching(/\.$/) });
      expect(each.length).toBeGreaterThan(0);
      expect(new Set(each.map(({ refId }) => refId)).size).toBe(each.length);
    }
  });

  it('has its panels beside and below each other', () => {
    for (const { gridPos } of panels) expect(gridPos.x + gridPos.w).toBeLessThanOrEqual(24);
    const pairs = panels.flatMap((one, index) =>
      panels.slice(index + 1).map((other) => [one, other] as const),
    );
    const both = pairs.filter(([one, other]) => overlap(one.gridPos, other.gridPos));
    expect(both.map((pair) => pair.map(({ title }) => title))).toEqual([]);
  });
});

describe('what looks for overlaps', () => {
  const at = (x: number, y: number): GridPosition => ({ x, y, w: 12, h: 8 });

  it('finds them, and lets neighbours be', () => {
    expect([at(12, 0), at(0, 8), at(12, 8)].filter((other) => overlap(at(0, 0), other))).toEqual([]);
    expect([at(11, 0), at(0, 7), at(0, 0)].filter((other) => overlap(at(0, 0), other))).toHaveLength(3);
  });
});
