import { knownMetrics, type KnownMetrics } from './known-metrics';
import { checkPromql } from './promql';

let known: KnownMetrics;
beforeAll(async () => {
  known = await knownMetrics();
});

const problemsOf = (expression: string) => checkPromql(expression, known).problems;

describe('the check of PromQL', () => {
  it.each([
    'translation_database_up == 0',
    'sum by (route) (rate(http_requests_total{status=~"5..", job=~"$job"}[$__rate_interval]))',
    'sum(rate(http_requests_total[5m])) by (job) / sum by (job) (rate(http_requests_total{status="404"}[5m])) > 0.1',
    'histogram_quantile(0.9, sum by (le) (rate(http_request_duration_seconds_bucket[5m])))',
    'rate(http_request_duration_seconds_sum[5m]) / rate(http_request_duration_seconds_count[5m])',
    'process_resident_memory_bytes and on (instance) translation_database_waiting > 0',
    'rate(nodejs_gc_duration_seconds_count{kind="major"}[5m])',
    'absent(translation_database_up)',
    // `and` binds weaker than `>`, as in Prometheus.
    'translation_database_waiting > 0 and translation_database_up == 1',
  ])('has nothing against %s', (expression) => {
    expect(problemsOf(expression)).toEqual([]);
  });

  it.each([
    ['translation_database_upp', 'asks for translation_database_upp, which is not there'],
    ['rate(http_request_duration_seconds[5m])', 'asks for http_request_duration_seconds, which is not there'],
    [
      'translation_database_up{platform="platform_a"}',
      'asks for the label platform, which translation_database_up does not have',
    ],
    [
      'translation_database_connections{state="used"}',
      'asks for state used, which translation_database_connections never has',
    ],
    [
      'rate(http_requests_total{route!~"/livez|/readyzz"}[5m])',
      'asks for route /readyzz, which http_requests_total never has',
    ],
    [
      'rate(http_requests_total{status=~"9.."}[5m])',
      'asks for status 9.., which http_requests_total never has',
    ],
    ['sum by (customer) (rate(http_requests_total[5m]))', 'groups by customer, which is not there'],
    [
      'sum by (route) (sum by (status) (rate(http_requests_total[5m])))',
      'groups by route, which is not there',
    ],
    ['histogram_quantile(0.9, sum(rate(http_request_duration_seconds_bucket[5m])))', 'groups by le'],
    ['rate(translation_database_waiting[5m])', 'rate of what is no counter over a time'],
    ['rate(http_requests_total)', 'rate of what is no counter over a time'],
    ['sum(http_requests_total)', 'shows a counter rather than its growth'],
    ['translation_database_up[5m]', 'has samples of a time where one is wanted'],
    [
      'translation_database_up / sum by (job) (translation_database_waiting)',
      'joins what has different labels',
    ],
    ['translation_database_up and on (route) translation_database_waiting', 'groups by route'],
    ['sum(translation_database_waiting', 'cannot be read'],
    ['translation_database_waiting)', 'cannot be read from ")" on'],
    ['translation_database_waiting{state="x"', 'cannot be read'],
    ['translation_database_waiting +', 'cannot be read'],
    ['rate(http_requests_total[five])', 'cannot be read from "five])" on'],
    ['smooth(translation_database_waiting)', 'cannot be read'],
    ['deriv(translation_database_waiting[5m])', 'calls deriv, which this check does not know'],
    ['-translation_database_waiting', 'uses UnaryExpr, which this check does not know'],
    ['sum without (job) (translation_database_up)', 'uses AggregateModifier, which this check does not know'],
    ['translation_database_waiting ; 1', 'cannot be read'],
    ['', 'cannot be read'],
  ])('finds what is wrong with %s', (expression, problem) => {
    expect(problemsOf(expression)).toContainEqual(expect.stringContaining(problem));
  });
});
