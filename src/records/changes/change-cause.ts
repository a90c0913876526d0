/** The change that gave a row its present content, and its time. */
export interface ChangeCause {
  /** ID of the run or of the propagation, or an ID made for this change alone. */
  readonly id: string;
  /** The database's time, with microseconds, taken behind the locks. */
  readonly at: string;
}
