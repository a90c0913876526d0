/** The work was not begun, because too much other work waits or waited too long. A retry a moment later may succeed. */
export class Overloaded extends Error {
  override readonly name: string = 'Overloaded';
}

/** Other work that comes first, such as earlier work in the same queue, has not ended. The work was not begun. */
export class StillBusy extends Error {
  override readonly name: string = 'StillBusy';
}
