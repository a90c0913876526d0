/** One word or sign of a PromQL expression. */
export interface Token {
  readonly kind: 'name' | 'number' | 'text' | 'duration' | 'sign';
  /** As it is written; of a text, what stands between its quotes. */
  readonly text: string;
}

const forms: readonly (readonly [Token['kind'], RegExp])[] = [
  ['text', /"((?:[^"\\]|\\.)*)"/y],
  // As a range: a fixed one, or what Grafana fills in.
  ['duration', /\d+(?:ms|[smhdwy])\b|\$__(?:rate_interval|interval|range)\b/y],
  ['number', /\d+(?:\.\d+)?/y],
  ['name', /[a-zA-Z_:][\w:]*/y],
  ['sign', /==|!=|>=|<=|=~|!~|[-+*/%^<>=(){}[\],]/y],
];

/** @throws Error at what is none of what the project's expressions are made of */
export function tokensOf(expression: string): readonly Token[] {
  const tokens: Token[] = [];
  let at = 0;
  for (;;) {
    at += /^\s*/.exec(expression.slice(at))?.[0].length ?? 0;
    if (at >= expression.length) return tokens;
    const token = tokenAt(expression, at);
    if (token === undefined) throw new Error(`cannot be read from "${expression.slice(at)}" on`);
    tokens.push({ kind: token.kind, text: token.text });
    at = token.end;
  }
}

function tokenAt(expression: string, at: number): (Token & { readonly end: number }) | undefined {
  for (const [kind, form] of forms) {
    form.lastIndex = at;
    const found = form.exec(expression);
    if (found !== null) return { kind, text: found[1] ?? found[0], end: form.lastIndex };
  }
  return undefined;
}
