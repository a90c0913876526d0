/** Nothing was begun: too much other work waits, or did for too long. The same may work a moment later. */
export class Overloaded extends Error {
  override readonly name: string = 'Overloaded';
}

/** Works that came before into the same queue did not end in time. Nothing was begun. */
export class StillBusy extends Error {
  override readonly name: string = 'StillBusy';
}
