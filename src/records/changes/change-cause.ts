/** What changes records, and when. Rows name it as long as they are as it made them. */
export interface ChangeCause {
  /** The change's ID: that of the run or of the propagation, or one of its own. */
  readonly id: string;
  /** The database's time, with microseconds, taken behind the locks. */
  readonly at: string;
}
