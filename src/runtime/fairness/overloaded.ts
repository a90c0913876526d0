/** The work was not begun, because too much other work waits or waited too long. A retry a moment later may succeed. */
export class Overloaded extends Error {
  override readonly name: string = 'Overloaded';
}

/** Earlier work in the same queue did not end in time. The work was not begun. */
export class StillBusy extends Error {
  override readonly name: string = 'StillBusy';
}
