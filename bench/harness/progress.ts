/** Reports the progress of the bench on standard error, so that standard output contains only the results. */
export class Progress {
  private readonly begun = performance.now();

  constructor(private readonly name = '') {}

  /** A progress with the same clock, and a name before each line. */
  named(name: string): Progress {
    return Object.assign(new Progress(name), { begun: this.begun });
  }

  readonly say = (line: string): void => {
    const seconds = Math.round((performance.now() - this.begun) / 1000);
    const clock = `${String(Math.floor(seconds / 60)).padStart(2)}:${String(seconds % 60).padStart(2, '0')}`;
    process.stderr.write(`${clock}  ${this.name.padEnd(4)}  ${line}\n`);
  };
}
