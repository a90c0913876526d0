/** Says on the standard error output what the bench does, so that the output has the results alone. */
export class Progress {
  private readonly begun = performance.now();

  constructor(private readonly name = '') {}

  /** The same clock, with a name before each line. */
  named(name: string): Progress {
    return Object.assign(new Progress(name), { begun: this.begun });
  }

  readonly say = (line: string): void => {
    const seconds = Math.round((performance.now() - this.begun) / 1000);
    const clock = `${String(Math.floor(seconds / 60)).padStart(2)}:${String(seconds % 60).padStart(2, '0')}`;
    process.stderr.write(`${clock}  ${this.name.padEnd(4)}  ${line}\n`);
  };
}
