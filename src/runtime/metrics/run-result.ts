/** How a reading of a platform ended. */
export interface EndedRun {
  readonly platform: string;
  /** `sandbox` or `live`. */
  readonly mode: string;
  /** `incomplete`: a part of the platform could not be read. */
  readonly outcome: 'complete' | 'incomplete' | 'failed';
}

/** What a reading of a platform took. */
export interface ReadingCounts {
  readonly platform: string;
  readonly mode: string;
  readonly records: number;
  /** Calls of the platform, those that were refused included. */
  readonly calls: number;
  /** Calls that were refused because of its limits. */
  readonly limited: number;
}
