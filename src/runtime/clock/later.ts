/** The time that is the given number of milliseconds after another time. */
export function later(from: Date, milliseconds: number): Date {
  return new Date(from.getTime() + milliseconds);
}
