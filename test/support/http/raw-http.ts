import { connect, type Socket } from 'node:net';

/** An HTTP response as it was received. */
export interface RawResponse {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/**
 * Writes bytes to a server unchanged. Reads until the server closes the connection, or until `answers` responses with
 * a Content-Length are complete.
 */
export async function rawHttp(
  url: string,
  write: string | ((socket: Socket) => void),
  answers = Infinity,
): Promise<RawResponse[]> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  let received = '';
  socket.setEncoding('utf8');
  await new Promise<void>((resolve, reject) => {
    socket.once('connect', () => (typeof write === 'string' ? socket.write(write) : write(socket)));
    socket.on('data', (chunk: string) => {
      received += chunk;
      if (parseResponses(received).length >= answers) resolve();
    });
    socket.once('close', resolve);
    socket.once('error', (error: NodeJS.ErrnoException) => {
      // The server resets the connection after a complete answer to a hostile request.
      if (parseResponses(received).length > 0) resolve();
      else reject(error);
    });
  });
  socket.destroy();
  return parseResponses(received);
}

function parseResponses(text: string): RawResponse[] {
  const answers: RawResponse[] = [];
  let rest = text;
  for (;;) {
    const end = rest.indexOf('\r\n\r\n');
    if (end < 0) return answers;
    const [statusLine = '', ...lines] = rest.slice(0, end).split('\r\n');
    const headers = Object.fromEntries(
      lines.map((line) => [
        line.slice(0, line.indexOf(':')).toLowerCase(),
        line.slice(line.indexOf(':') + 1).trim(),
      ]),
    );
    const length = Number(headers['content-length'] ?? 0);
    const body = rest.slice(end + 4, end + 4 + length);
    if (body.length < length) return answers;
    rest = rest.slice(end + 4 + length);
    const status = Number(statusLine.split(' ')[1]);
    if (status !== 100) answers.push({ status, headers, body });
  }
}
