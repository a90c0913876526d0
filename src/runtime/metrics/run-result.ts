/** How a reading of a platform ended. */
export interface EndedRun {
  readonly platform: string;
  /** `sandbox` or `live`. */
  readonly mode: string;
  /** `incomplete`: a part of the platform could not be read. */
  readonly outcome: 'complete' | 'incomplete' | 'failed';
}

/** The cost of a reading of a platform. */
export interface ReadingCounts {
  readonly platform: string;
  readonly mode: string;
  readonly records: number;
  /** Calls of the platform, including rejected ones. */
  readonly calls: number;
  /** Calls that the platform rejected because of its rate limits. */
  readonly limited: number;
}
