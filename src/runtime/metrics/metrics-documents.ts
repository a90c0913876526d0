import type { Registry } from 'prom-client';

/** A metric in its registry. */
export interface MetricDescription {
  readonly name: string;
  /** `counter`, `gauge`, `histogram` or `summary`. */
  readonly type: string;
  readonly labels: readonly string[];
  readonly meaning: string;
}

/** The metrics of a registry, in the order of their registration. */
export function describedMetrics(registry: Registry): readonly MetricDescription[] {
  return registry.getMetricsAsArray().map((metric) => ({
    name: metric.name,
    type: String(metric.type), // The value is a word, although the library's types declare a number.
    labels: labelsOf(metric),
    meaning: metric.help,
  }));
}

/** The rows of the table of metrics in docs/operations.md, without the heading: name, type, labels, meaning. */
export function metricsRows(registry: Registry): readonly (readonly [string, string, string, string])[] {
  return describedMetrics(registry).map(({ name, type, labels, meaning }) => [
    `\`${name}\``,
    type,
    labels.length === 0 ? 'none' : labels.map((label) => `\`${label}\``).join(', '),
    meaning,
  ]);
}

// Every metric has the names of its labels, but the library's types do not declare them.
function labelsOf(metric: object): readonly string[] {
  if (!('labelNames' in metric) || !Array.isArray(metric.labelNames)) {
    throw new Error('This version of prom-client does not name the labels of a metric');
  }
  return metric.labelNames.map(String);
}
