/** A signal that never aborts, for work that takes one. */
export const never = new AbortController().signal;
