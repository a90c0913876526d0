/** Who changes a term, and why, in their own words. */
export interface TermReason {
  readonly reason?: string;
  readonly decidedBy?: string;
}

/** A reason as its columns hold it. */
export function reasonColumns({ reason, decidedBy }: TermReason): StoredReason {
  return { reason: reason ?? null, decidedBy: decidedBy ?? null };
}

/** The same as it is stored, and shown with the term. */
export interface StoredReason {
  readonly reason: string | null;
  readonly decidedBy: string | null;
}
