import { parser } from '@prometheus-io/lezer-promql';

/** A node of an expression's syntax tree, by the names of Prometheus's own grammar. */
export type Node = ReturnType<typeof parser.parse>['topNode'];

/** An expression and its syntax tree. */
export interface Parsed {
  readonly top: Node;
  /** The text of a node. */
  readonly textOf: (node: Node) => string;
}

/**
 * Parses an expression with the grammar that Prometheus publishes. Ranges that Grafana fills in count as 5 minutes.
 *
 * @throws Error when it is no PromQL; the message quotes the place
 */
export function parsePromql(expression: string): Parsed {
  const text = expression.replaceAll(/\$__(?:rate_interval|interval|range)\b/g, '5m');
  const tree = parser.parse(text);
  tree.iterate({
    enter: ({ type, from }) => {
      if (type.isError) throw new Error(`cannot be read from "${text.slice(from)}" on`);
    },
  });
  const top = tree.topNode.firstChild;
  if (top === null) throw new Error('cannot be read: it is empty');
  return { top, textOf: (node) => text.slice(node.from, node.to) };
}

/** The children of a node, in order. */
export function childrenOf(node: Node): readonly Node[] {
  const children: Node[] = [];
  for (let child = node.firstChild; child !== null; child = child.nextSibling) children.push(child);
  return children;
}
