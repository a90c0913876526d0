import { badQuery, badRequest } from '../odata-error';
import { tokensOf, type Token } from './tokens';

const operators = ['eq', 'ne', 'gt', 'ge', 'lt', 'le'] as const;
export type Operator = (typeof operators)[number];

const functions = ['contains', 'startswith', 'endswith'] as const;
export type TextFunction = (typeof functions)[number];

/** A value in a filter, as it was written. */
export interface Literal {
  readonly quoted: boolean;
  readonly text: string;
}

/** A `$filter` as a tree. */
export type Filter =
  | { readonly kind: 'and' | 'or'; readonly parts: readonly [Filter, Filter] }
  | { readonly kind: 'not'; readonly part: Filter }
  | {
      readonly kind: 'compare';
      readonly field: string;
      readonly operator: Operator;
      readonly literal: Literal;
    }
  | { readonly kind: 'function'; readonly name: TextFunction; readonly field: string; readonly text: string }
  /** A lambda: the platform takes it and pays it no attention. */
  | { readonly kind: 'ignored' };

/** Maximum nesting of parentheses and negations. No real query has more. */
const DEEPEST = 100;

/**
 * Reads a `$filter`. `and` binds closer than `or`, `not` closest.
 *
 * @throws ODataError 404 for what cannot be read, 400 for `or` between different fields
 */
export function parseFilter(text: string): Filter {
  const parser = new FilterParser(tokensOf(text), text);
  return parser.whole();
}

/** The values that every row of the result has in a field, by equalities that all must hold. */
export function requiredValue(filter: Filter | undefined, field: string): string | undefined {
  if (filter?.kind === 'and') {
    return requiredValue(filter.parts[0], field) ?? requiredValue(filter.parts[1], field);
  }
  if (filter?.kind === 'compare' && filter.operator === 'eq' && filter.field === field) {
    return filter.literal.text;
  }
  return undefined;
}

class FilterParser {
  private position = 0;
  private depth = 0;

  constructor(
    private readonly tokens: readonly Token[],
    private readonly text: string,
  ) {}

  whole(): Filter {
    const filter = this.either();
    if (this.position < this.tokens.length) throw this.unreadable();
    return filter;
  }

  private either(): Filter {
    let left = this.both();
    while (this.takeWord('or')) {
      const right = this.both();
      const fields = new Set([...fieldsOf(left), ...fieldsOf(right)]);
      if (fields.size > 1) {
        throw badRequest("The 'OR' operator is not supported on distinct fields on an OData filter.");
      }
      left = { kind: 'or', parts: [left, right] };
    }
    return left;
  }

  private both(): Filter {
    let left = this.one();
    while (this.takeWord('and')) left = { kind: 'and', parts: [left, this.one()] };
    return left;
  }

  private one(): Filter {
    this.depth += 1;
    if (this.depth > DEEPEST) throw badQuery('The filter is too deep.');
    try {
      if (this.takeWord('not')) return { kind: 'not', part: this.one() };
      if (this.takeSign('(')) {
        const inner = this.either();
        this.expectSign(')');
        return inner;
      }
      return this.condition();
    } finally {
      this.depth -= 1;
    }
  }

  private condition(): Filter {
    const name = this.word();
    if (/\/(any|all)$/.test(name)) {
      this.skipParentheses();
      return { kind: 'ignored' };
    }
    const called = functions.find((known) => known === name);
    if (called !== undefined) {
      this.expectSign('(');
      const field = this.word();
      this.expectSign(',');
      const literal = this.literal();
      this.expectSign(')');
      if (!literal.quoted) throw this.unreadable();
      // `contains(...) eq true` is the same.
      if (this.takeWord('eq') && !this.takeWord('true')) throw this.unreadable();
      return { kind: 'function', name: called, field, text: literal.text };
    }
    const operator = operators.find((known) => this.takeWord(known));
    if (operator === undefined) throw this.unreadable();
    return { kind: 'compare', field: name, operator, literal: this.literal() };
  }

  private skipParentheses(): void {
    this.expectSign('(');
    for (let open = 1; open > 0;) {
      const token = this.tokens[this.position];
      if (token === undefined) throw this.unreadable();
      this.position += 1;
      if (token.kind === 'sign' && token.text === '(') open += 1;
      if (token.kind === 'sign' && token.text === ')') open -= 1;
    }
  }

  private word(): string {
    const token = this.tokens[this.position];
    if (token?.kind !== 'word') throw this.unreadable();
    this.position += 1;
    return token.text;
  }

  private literal(): Literal {
    const token = this.tokens[this.position];
    if (token === undefined || token.kind === 'sign') throw this.unreadable();
    this.position += 1;
    return { quoted: token.kind === 'text', text: token.text };
  }

  private takeWord(text: string): boolean {
    const token = this.tokens[this.position];
    if (token?.kind !== 'word' || token.text !== text) return false;
    this.position += 1;
    return true;
  }

  private takeSign(text: string): boolean {
    const token = this.tokens[this.position];
    if (token?.kind !== 'sign' || token.text !== text) return false;
    this.position += 1;
    return true;
  }

  private expectSign(text: string): void {
    if (!this.takeSign(text)) throw this.unreadable();
  }

  private unreadable(): Error {
    return badQuery(`Syntax error in the filter '${this.text}'.`);
  }
}

function fieldsOf(filter: Filter): readonly string[] {
  switch (filter.kind) {
    case 'and':
    case 'or':
      return filter.parts.flatMap(fieldsOf);
    case 'not':
      return fieldsOf(filter.part);
    case 'compare':
    case 'function':
      return [filter.field];
    case 'ignored':
      return [];
  }
}
