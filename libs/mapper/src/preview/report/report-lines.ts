/** The outcome of a native field of the source. */
export const sourceOutcomes = ['mapped', 'derived', 'kept', 'lost'] as const;
export type SourceOutcome = (typeof sourceOutcomes)[number];

/** Where a native field of the target comes from. */
export const targetOrigins = ['mapped', 'derived', 'provider_metadata', 'mappings', 'source'] as const;
export type TargetOrigin = (typeof targetOrigins)[number];

/** Native fields of the source with one outcome. */
export interface SourceLine {
  /** Native path; `[]` for every item of a list. */
  readonly path: string;
  /** How many values it is about, where that is not one. */
  readonly values?: number;
  readonly outcome: SourceOutcome;
  /** Canonical fields that the values went into. */
  readonly fields?: readonly string[];
  /** Native paths of the target that show them. */
  readonly target_paths?: readonly string[];
  readonly reason: string;
}

/** Native fields of the target with one origin. */
export interface TargetLine {
  /** Native path; `[]` for every item of a list. */
  readonly path: string;
  /** How many values it is about, where that is not one. */
  readonly values?: number;
  readonly origin: TargetOrigin;
  /** Canonical fields that the values come from. */
  readonly fields?: readonly string[];
  /** Native paths of the source that those were read from. */
  readonly source_paths?: readonly string[];
  readonly reason: string;
}

/** The outcome of every native field of a previewed record. It repeats no values. */
export interface LossReport {
  /** How many values of the source had each outcome. */
  readonly values: Readonly<Record<SourceOutcome, number>>;
  readonly source: readonly SourceLine[];
  readonly target: readonly TargetLine[];
}

/** Lines that are collected: equal ones become one, with their number. */
export class Lines<Line extends { readonly path: string; readonly reason: string }> {
  private readonly byText = new Map<string, { readonly line: Line; values: number }>();

  add(line: Line, kind: string, values: number): void {
    const text = `${line.path}\n${kind}\n${line.reason}`;
    const known = this.byText.get(text);
    if (known === undefined) this.byText.set(text, { line, values });
    else known.values += values;
  }

  /** The lines in the order in which the first of each was added. */
  list(): readonly (Line & { readonly values?: number })[] {
    return [...this.byText.values()].map(({ line, values }) => (values === 1 ? line : { ...line, values }));
  }
}
