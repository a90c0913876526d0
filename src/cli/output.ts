/** The output of a command: results go to `out`, messages to `err`. */
export interface Output {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  /** A result as one JSON document, alone on its line. */
  readonly json: (result: object) => void;
}

export function outputTo(out: (text: string) => void, err: (text: string) => void): Output {
  return { out, err, json: (result) => out(`${JSON.stringify(result)}\n`) };
}

/**
 * Lets a command go on when nobody reads a stream of its output any more, as after `| head`. What it then writes is lost; a
 * failed write of another kind ends the process.
 */
export function outliveReader(stream: NodeJS.WritableStream): void {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
}
