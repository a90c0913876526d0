/** The change that gave a row its present content, and its time. */
export interface ChangeCause {
  /** ID of the run or of the propagation, or an ID made for this change alone. */
  readonly id: string;
  /** The database's time as text, with microseconds. It was read after the locks were taken. */
  readonly at: string;
}
