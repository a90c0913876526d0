/** A row is not in a state from which it may change to the wanted one. Nothing was written. */
export class ForbiddenTransition extends Error {
  override readonly name = 'ForbiddenTransition';

  constructor(row: string, to: string) {
    super(`${row} is not in a state from which it can become ${to}`);
  }
}

/**
 * The states of a table's rows: how a row shows each state, and which states may follow it. Each transition is a statement of the table's
 * repository, and the condition of {@link before} guards it.
 */
export class StateMachine<State extends string> {
  /**
   * @param shownBy SQL condition on the columns of the row, for each state
   * @param transitions the states that may follow each state
   */
  constructor(
    readonly shownBy: Readonly<Record<State, string>>,
    readonly transitions: Readonly<Record<State, readonly State[]>>,
  ) {}

  /** All states. */
  get states(): readonly State[] {
    return Object.keys(this.transitions) as State[]; // The type of the parameter names the keys.
  }

  /** SQL condition: the row may change to a state. */
  before(next: State): string {
    const conditions = this.states
      .filter((state) => this.transitions[state].includes(next))
      .map((state) => this.shownBy[state]);
    return `(${conditions.join(' or ')})`;
  }
}
