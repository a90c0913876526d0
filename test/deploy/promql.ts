import type { KnownMetric, KnownMetrics } from './known-metrics';
import { childrenOf, parsePromql, type Node, type Parsed } from './promql-tree';

/** What a check found out about an expression. */
export interface Checked {
  readonly problems: readonly string[];
  /** The series that it reads: their names, each with the labels that select them. */
  readonly selectors: readonly Selector[];
  /** Labels of its result. */
  readonly labels: ReadonlySet<string>;
}

interface Selector {
  readonly name: string;
  /** Values or patterns, by label. */
  readonly matchers: ReadonlyMap<string, string>;
}

/** What Prometheus adds to each series. */
const TARGET = ['job', 'instance'];

const setOperators = new Set(['And', 'Or', 'Unless']);

/** The result of a part of an expression; a number has no labels. */
interface Part {
  readonly labels: ReadonlySet<string> | undefined;
  /** Whether it holds all samples of a span of time. */
  readonly range: boolean;
  readonly only?: KnownMetric['only'];
}

const NUMBER: Part = { labels: undefined, range: false };

/**
 * Checks an expression: it is PromQL, reads metrics that exist, by labels and values that they have, groups by labels that
 * are there, and takes the growth of a counter. It knows as much of the language as the project uses.
 */
export function checkPromql(expression: string, known: KnownMetrics): Checked {
  const problems: string[] = [];
  const selectors: Selector[] = [];
  try {
    const parsed = parsePromql(expression);
    const check = new Check(known, parsed, problems, selectors);
    return { problems, selectors, labels: check.instant(check.part(parsed.top)).labels ?? new Set() };
  } catch (error) {
    problems.push(error instanceof Error ? error.message : String(error));
    return { problems, selectors, labels: new Set() };
  }
}

class Check {
  constructor(
    private readonly known: KnownMetrics,
    private readonly parsed: Parsed,
    private readonly problems: string[],
    private readonly selectors: Selector[],
  ) {}

  part(node: Node): Part {
    switch (node.name) {
      case 'NumberDurationLiteral':
        return NUMBER;
      case 'ParenExpr':
        return this.part(argumentsOf(node)[0] ?? unknown(node));
      case 'BinaryExpr':
        return this.joined(node);
      case 'AggregateExpr':
        return this.aggregated(node);
      case 'FunctionCall':
        return this.called(node);
      case 'MatrixSelector':
        return { ...this.part(node.firstChild ?? unknown(node)), range: true };
      case 'VectorSelector':
        return this.selected(node);
      default:
        return unknown(node);
    }
  }

  /** A part with one sample at a time, whose value means something as it is. */
  instant(part: Part): Part {
    if (part.range) this.problems.push('has samples of a time where one is wanted');
    if (part.only === 'grows') this.problems.push('shows a counter rather than its growth');
    return part;
  }

  private joined(node: Node): Part {
    const [left, operator, ...rest] = childrenOf(node);
    const right = rest.at(-1);
    if (left === undefined || operator === undefined || right === undefined) return unknown(node);
    const [one, other] = [this.instant(this.part(left)), this.instant(this.part(right))];
    const on = this.namesIn(node, 'MatchingModifierClause');
    for (const label of on ?? []) this.requireLabel(label, one, other);
    if (one.labels === undefined || other.labels === undefined) return one.labels === undefined ? other : one;
    if (on === undefined && !sameLabels(one.labels, other.labels)) {
      this.problems.push(`joins what has different labels by ${this.parsed.textOf(operator)}`);
    }
    if (setOperators.has(operator.name)) return one;
    return on === undefined ? { labels: one.labels, range: false } : { labels: new Set(on), range: false };
  }

  private aggregated(node: Node): Part {
    const [argument, ...more] = argumentsOf(node.getChild('FunctionCallBody') ?? unknown(node));
    if (argument === undefined || more.length > 0) return unknown(node);
    const part = this.instant(this.part(argument));
    const by = this.namesIn(node, 'AggregateModifier') ?? [];
    for (const label of by) this.requireLabel(label, part);
    return { labels: new Set(by), range: false };
  }

  private called(node: Node): Part {
    const name = this.parsed.textOf(node.getChild('FunctionIdentifier') ?? unknown(node));
    const part = argumentsOf(node.getChild('FunctionCallBody') ?? unknown(node))
      .map((argument) => this.part(argument))
      .at(-1);
    switch (name) {
      case 'rate':
      case 'increase':
        if (part?.range !== true || part.only !== 'grows')
          this.problems.push(`${name} of what is no counter over a time`);
        return { labels: part?.labels, range: false };
      case 'histogram_quantile':
        this.requireLabel('le', this.instant(part ?? NUMBER));
        return { labels: without('le', part?.labels), range: false };
      case 'abs':
        return { labels: this.instant(part ?? NUMBER).labels, range: false };
      case 'absent':
        this.instant(part ?? NUMBER);
        return { labels: new Set(), range: false };
      default:
        throw new Error(`calls ${name}, which this check does not know`);
    }
  }

  private selected(node: Node): Part {
    const name = this.parsed.textOf(node.getChild('Identifier') ?? unknown(node));
    const metric = this.known.get(name);
    if (metric === undefined) this.problems.push(`asks for ${name}, which is not there`);
    const matchers = new Map<string, string>();
    for (const matcher of node.getChild('LabelMatchers')?.getChildren('UnquotedLabelMatcher') ?? []) {
      const [label = '', operator = '', quoted = ''] = childrenOf(matcher).map(this.parsed.textOf);
      const value = quoted.slice(1, -1);
      matchers.set(label, value);
      if (metric !== undefined) this.checkMatcher(name, metric, label, operator, value);
    }
    this.selectors.push({ name, matchers });
    return {
      labels: new Set([...TARGET, ...(metric?.labels.keys() ?? [])]),
      range: false,
      only: metric?.only,
    };
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
    const isPattern = operator.endsWith('~');
    // In a list such as "/livez|/readyz" each word has to match a value.
    for (const word of isPattern && /^[\w/|.]+$/.test(value) ? value.split('|') : [value]) {
      const pattern = isPattern ? new RegExp(`^(?:${word})$`) : undefined;
      if (![...values].some((each) => pattern?.test(each) ?? each === word)) {
        this.problems.push(`asks for ${label} ${word}, which ${name} never has`);
      }
    }
  }

  private requireLabel(label: string, ...parts: readonly Part[]): void {
    if (parts.some(({ labels }) => labels?.has(label) !== true)) {
      this.problems.push(`groups by ${label}, which is not there`);
    }
  }

  /** The labels that a modifier such as `by (…)` or `on (…)` lists; undefined without the modifier. */
  private namesIn(node: Node, modifier: 'AggregateModifier' | 'MatchingModifierClause') {
    const clause = node.getChild(modifier);
    if (clause === null) return undefined;
    const [keyword] = childrenOf(clause);
    if (keyword?.name !== 'By' && keyword?.name !== 'On') return unknown(clause);
    return (clause.getChild('GroupingLabels') ?? unknown(clause))
      .getChildren('LabelName')
      .map(this.parsed.textOf);
  }
}

/** The expressions between the parentheses of a node. */
function argumentsOf(node: Node): readonly Node[] {
  return childrenOf(node).filter(({ name }) => !['(', ')', ','].includes(name));
}

function unknown(node: Node): never {
  throw new Error(`uses ${node.name}, which this check does not know`);
}

function without(label: string, labels: ReadonlySet<string> | undefined): ReadonlySet<string> {
  return new Set([...(labels ?? [])].filter((each) => each !== label));
}

function sameLabels(one: ReadonlySet<string>, other: ReadonlySet<string>): boolean {
  return one.size === other.size && [...one].every((label) => other.has(label));
}
