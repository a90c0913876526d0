import { once } from 'node:events';
import { chmod, writeFile } from 'node:fs/promises';
import { request, type IncomingMessage } from 'node:http';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { parseArgs } from 'node:util';

/** A call that was made, and its answer. */
export interface Call {
  readonly url: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  readonly answer: {
    readonly status: number;
    readonly headers: Headers;
    readonly text: string;
  };
}

/** A curl for machines without one: the few options that the README uses, with curl's meaning. */
export interface Curl {
  /** The calls so far, in order. */
  readonly calls: readonly Call[];
  close(): Promise<void>;
}

/**
 * Writes a curl to a file. The script leaves the call to this process: to start Node for each of them takes longer than the calls.
 */
export async function installCurl(file: string): Promise<Curl> {
  const calls: Call[] = [];
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    argumentsOf(socket)
      .then(async (args) => {
        const { call, printed } = await make(args);
        calls.push(call);
        socket.end(printed);
      })
      .catch(() => socket.resetAndDestroy()); // Then cat fails, as curl does.
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // It listens on a port, not on a pipe.
  await writeFile(
    file,
    `#!/usr/bin/env bash
exec 3<>/dev/tcp/127.0.0.1/${port}
printf '%s\\0' "$#" "$@" >&3
cat <&3
`,
  );
  await chmod(file, 0o755);
  return { calls, close: () => new Promise((resolve) => server.close(() => resolve())) };
}

/** Their number and each of them, with a NUL behind, as the script sends them. */
async function argumentsOf(socket: Socket): Promise<string[]> {
  let sent = '';
  for await (const chunk of socket.setEncoding('utf8').iterator({ destroyOnReturn: false })) {
    sent += String(chunk);
    const [count, ...args] = sent.split('\0');
    if (args.length > Number(count)) return args.slice(0, -1);
  }
  throw new Error('The script ended before it had sent its arguments');
}

/** Makes the call that the arguments ask for. */
async function make(args: string[]): Promise<{ readonly call: Call; readonly printed: string }> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      include: { type: 'boolean', short: 'i' },
      silent: { type: 'boolean', short: 's' },
      request: { type: 'string', short: 'X' },
      header: { type: 'string', short: 'H', multiple: true, default: [] },
      data: { type: 'string', short: 'd' },
      'write-out': { type: 'string', short: 'w', default: '' },
    },
  });
  const [url = ''] = positionals;
  const { data: body } = values;
  const method = values.request ?? (body === undefined ? 'GET' : 'POST');
  const headers = Object.fromEntries(
    values.header.map((line): [string, string] => {
      const [name = '', value = ''] = line.split(/:\s*/, 2);
      return [name, value];
    }),
  );
  // Node leaves the length out for a DELETE.
  const length = body === undefined ? {} : { 'Content-Length': Buffer.byteLength(body) };
  const sent = request(url, { method, headers: { ...headers, ...length } });
  sent.end(body);
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    sent.on('response', resolve).on('error', reject);
  });
  const answered = await text(response);
  const status = response.statusCode ?? 0;
  const { rawHeaders } = response;
  const pairs = rawHeaders.flatMap((name, index): [string, string][] =>
    index % 2 === 0 ? [[name, rawHeaders[index + 1] ?? '']] : [],
  );
  const head = pairs.map(([name, value]) => `${name}: ${value}\r\n`);
  const end = values['write-out'].replaceAll('%{http_code}', String(status)).replaceAll('\\n', '\n');
  return {
    call: { url, method, headers, body, answer: { status, headers: new Headers(pairs), text: answered } },
    printed: `${values.include ? head.join('') : ''}${answered}${end}`,
  };
}
