import type { KnownMetric, KnownMetrics } from './known-metrics';
import { tokensOf, type Token } from './promql-tokens';

/** What was learnt of an expression. */
export interface Checked {
  readonly problems: readonly string[];
  /** The series it asks for, as they are named, each with the labels it chooses them by. */
  readonly selectors: readonly { readonly name: string; readonly matchers: ReadonlyMap<string, string> }[];
  /** Labels of its result. */
  readonly labels: ReadonlySet<string>;
}

/** What Prometheus adds to each series. */
const TARGET = ['job', 'instance'];

const aggregations = new Set(['sum', 'max', 'min', 'avg', 'count']);
const setOperators = new Set(['and', 'or', 'unless']);
const operators = new Set([...setOperators, '+', '-', '*', '/', '==', '!=', '>', '<', '>=', '<=']);

/** A part of an expression; a number has no labels. */
interface Part {
  readonly labels: ReadonlySet<string> | undefined;
  /** Whether it is all samples of a time. */
  readonly range: boolean;
  readonly only?: KnownMetric['only'];
}

/**
 * Checks an expression: it can be parsed, asks for metrics that there are, by labels and values that they have, groups by
 * labels that are there, and takes the growth of what only grows. Knows as much of the language as the project uses.
 */
export function checkPromql(expression: string, known: KnownMetrics): Checked {
  const check = new Check(known);
  try {
    const labels = check.whole(tokensOf(expression));
    return { problems: check.problems, selectors: check.selectors, labels };
  } catch (error) {
    const problems = [...check.problems, error instanceof Error ? error.message : String(error)];
    return { problems, selectors: check.selectors, labels: new Set() };
  }
}

class Check {
  readonly problems: string[] = [];
  readonly selectors: { name: string; matchers: Map<string, string> }[] = [];
  private tokens: Token[] = [];

  constructor(private readonly known: KnownMetrics) {}

  whole(tokens: readonly Token[]): ReadonlySet<string> {
    this.tokens = [...tokens];
    const { labels } = this.instant(this.expression());
    const [more] = this.tokens;
    if (more !== undefined) throw new Error(`ends before ${more.text}`);
    return labels ?? new Set();
  }

  private expression(): Part {
    let left = this.operand();
    for (;;) {
      const operator = this.tokens[0]?.text ?? '';
      if (!operators.has(operator)) return left;
      this.tokens.shift();
      const on = this.takes('on') ? this.names() : undefined;
      left = this.joined(operator, on, this.instant(left), this.instant(this.operand()));
    }
  }

  private joined(operator: string, on: readonly string[] | undefined, left: Part, right: Part): Part {
    for (const label of on ?? []) this.requireLabel(label, left, right);
    if (left.labels === undefined || right.labels === undefined)
      return left.labels === undefined ? right : left;
    if (on === undefined && !sameLabels(left.labels, right.labels)) {
      this.problems.push(`joins what has different labels by ${operator}`);
    }
    return setOperators.has(operator) || on === undefined ? left : { labels: new Set(on), range: false };
  }

  private operand(): Part {
    if (this.takes('(')) {
      const part = this.expression();
      this.expect(')');
      return part;
    }
    const token = this.tokens.shift();
    if (token?.kind === 'number') return { labels: undefined, range: false };
    if (token?.kind !== 'name') throw new Error(`lacks something before ${token?.text ?? 'its end'}`);
    if (aggregations.has(token.text)) return this.aggregation();
    if (this.takes('(')) return this.call(token.text);
    return this.selector(token.text);
  }

  private aggregation(): Part {
    const before = this.takes('by') ? this.names() : undefined;
    this.expect('(');
    const part = this.instant(this.expression());
    this.expect(')');
    const by = before ?? (this.takes('by') ? this.names() : []);
    for (const label of by) this.requireLabel(label, part);
    return { labels: new Set(by), range: false };
  }

  private call(name: string): Part {
    const parts = [this.expression()];
    while (this.takes(',')) parts.push(this.expression());
    this.expect(')');
    const part = parts.pop() ?? { labels: undefined, range: false };
    switch (name) {
      case 'rate':
      case 'increase':
        if (!part.range || part.only !== 'grows')
          this.problems.push(`${name} of what is no counter over a time`);
        return { labels: part.labels, range: false };
      case 'histogram_quantile':
        this.requireLabel('le', this.instant(part));
        return { labels: new Set([...(part.labels ?? [])].filter((label) => label !== 'le')), range: false };
      case 'absent':
        this.instant(part);
        return { labels: new Set(), range: false };
      default:
        throw new Error(`calls ${name}, which this check does not know`);
    }
  }

  private selector(name: string): Part {
    const metric = this.known.get(name);
    const matchers = new Map<string, string>();
    if (metric === undefined) this.problems.push(`asks for ${name}, which is not there`);
    if (this.takes('{')) {
      while (!this.takes('}')) {
        const [label, operator, value] = this.tokens.splice(0, 3).map(({ text }) => text);
        if (label === undefined || operator === undefined || value === undefined) throw new Error('lacks }');
        matchers.set(label, value);
        if (metric !== undefined) this.checkMatcher(name, metric, label, operator, value);
        if (!this.takes(',') && this.tokens[0]?.text !== '}') throw new Error(`lacks } behind ${value}`);
      }
    }
    this.selectors.push({ name, matchers });
    const range = this.takes('[');
    if (range && this.tokens.shift()?.kind !== 'duration') throw new Error('has a range that is no time');
    if (range) this.expect(']');
    return { labels: new Set([...TARGET, ...(metric?.labels.keys() ?? [])]), range, only: metric?.only };
  }

  private checkMatcher(
    name: string,
    metric: KnownMetric,
    label: string,
    operator: string,
    value: string,
  ): void {
    if (TARGET.includes(label)) return;
    const values = metric.labels.get(label);
    if (values === undefined) this.problems.push(`asks for the label ${label}, which ${name} does not have`);
    if (values === undefined || values.size === 0 || value.includes('$')) return;
    const form = operator.endsWith('~') ? new RegExp(`^(?:${value})$`) : undefined;
    // Each of the words of a list, such as "/livez|/readyz", has to be one.
    for (const word of form && /^[\w/|.]+$/.test(value) ? value.split('|') : [value]) {
      const one = form === undefined ? undefined : new RegExp(`^(?:${word})$`);
      if (![...values].some((each) => (one === undefined ? each === word : one.test(each)))) {
        this.problems.push(`asks for ${label} ${word}, which ${name} never has`);
      }
    }
  }

  /** A part of which there is one sample at a time, and which says something as it is. */
  private instant(part: Part): Part {
    if (part.range) this.problems.push('has samples of a time where one is wanted');
    if (part.only === 'grows') this.problems.push('shows a counter rather than its growth');
    return part;
  }

  private requireLabel(label: string, ...parts: readonly Part[]): void {
    if (parts.some(({ labels }) => labels?.has(label) !== true)) {
      this.problems.push(`groups by ${label}, which is not there`);
    }
  }

  private names(): string[] {
    const names: string[] = [];
    this.expect('(');
    while (!this.takes(')')) {
      const token = this.tokens.shift();
      if (token?.kind !== 'name') throw new Error('lacks the name of a label');
      names.push(token.text);
      if (!this.takes(',') && this.tokens[0]?.text !== ')') throw new Error(`lacks ) behind ${token.text}`);
    }
    return names;
  }

  private takes(text: string): boolean {
    const [next] = this.tokens;
    if (next?.text !== text || next.kind === 'text') return false;
    this.tokens.shift();
    return true;
  }

  private expect(text: string): void {
    if (!this.takes(text)) throw new Error(`lacks ${text} before ${this.tokens[0]?.text ?? 'its end'}`);
  }
}

function sameLabels(one: ReadonlySet<string>, other: ReadonlySet<string>): boolean {
  return one.size === other.size && [...one].every((label) => other.has(label));
}
