/** `incomplete`: a part of the platform could not be read. */
export const RUN_OUTCOMES = ['complete', 'incomplete', 'failed'] as const;

/** How a reading of a platform ended. */
export interface EndedRun {
  readonly platform: string;
  /** `sandbox` or `live`. */
  readonly mode: string;
  readonly outcome: (typeof RUN_OUTCOMES)[number];
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
