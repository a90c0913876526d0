import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** A statement as it went to the server. */
export interface SentStatement {
  /** Which connection it went over. */
  readonly connection: number;
  readonly text: string;
  /** Name of the prepared statement; empty for a statement that is planned once. */
  readonly name: string;
  /** Undefined for a statement of the simple protocol, which has no parameters. */
  readonly values: readonly (string | null)[] | undefined;
}

/** A proxy of the database that records the statements sent through it. */
export interface RecordingProxy {
  readonly url: string;
  /** The statements sent since the last call. */
  take(): readonly SentStatement[];
  close(): Promise<void>;
}

/** Opens a recording proxy of a database. */
export async function openRecordingProxy(databaseUrl: string): Promise<RecordingProxy> {
  const target = new URL(databaseUrl);
  const statements: SentStatement[] = [];
  const sockets = new Set<Socket>();
  let connections = 0;
  const server = createServer({ noDelay: true }, (client) => {
    const connection = connections++;
    const upstream = connect({ host: target.hostname, port: Number(target.port), noDelay: true });
    const reader = new FrontendReader((statement) => statements.push({ connection, ...statement }));
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => undefined); // 'close' follows, and ends the other side
    }
    client.on('data', (chunk) => {
      reader.push(chunk);
      upstream.write(chunk);
    });
    upstream.on('data', (chunk) => client.write(chunk));
    client.on('close', () => upstream.destroy());
    upstream.on('close', () => client.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = new URL(databaseUrl);
  url.hostname = '127.0.0.1';
  url.port = String((server.address() as AddressInfo).port); // A server that listens on TCP has such an address.
  return {
    url: url.href,
    take: () => statements.splice(0),
    close: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

const TYPE_AND_LENGTH = 5;

/** Reads what a client of PostgreSQL sends (protocol 3.0, "Message Formats" in its manual). */
export class FrontendReader {
  private rest = Buffer.alloc(0);
  private greeted = false;
  private readonly prepared = new Map<string, string>();
  private bound: Omit<SentStatement, 'connection'> | undefined;

  constructor(private readonly sent: (statement: Omit<SentStatement, 'connection'>) => void) {}

  push(chunk: Buffer): void {
    this.rest = Buffer.concat([this.rest, chunk]);
    for (;;) {
      // The first message has no type.
      const head = this.greeted ? TYPE_AND_LENGTH : TYPE_AND_LENGTH - 1;
      if (this.rest.length < head) return;
      const end = head - 4 + this.rest.readInt32BE(head - 4);
      if (this.rest.length < end) return;
      if (this.greeted) this.read(String.fromCharCode(this.rest[0] ?? 0), this.rest.subarray(head, end));
      this.greeted = true;
      this.rest = this.rest.subarray(end);
    }
  }

  private read(type: string, body: Buffer): void {
    const fields = new Fields(body);
    switch (type) {
      case 'Q':
        return this.sent({ text: fields.text(), name: '', values: undefined });
      case 'P': {
        const name = fields.text();
        this.prepared.set(name, fields.text());
        return;
      }
      case 'B': {
        fields.text();
        const name = fields.text();
        for (let formats = fields.int16(); formats > 0; formats--) fields.int16();
        const values = Array.from({ length: fields.int16() }, () => fields.value());
        this.bound = { text: this.prepared.get(name) ?? '', name, values };
        return;
      }
      case 'E':
        if (this.bound !== undefined) this.sent(this.bound);
        this.bound = undefined;
    }
  }
}

/** The fields of a message, one after the other. */
class Fields {
  private at = 0;

  constructor(private readonly body: Buffer) {}

  text(): string {
    const end = this.body.indexOf(0, this.at);
    const text = this.body.toString('utf8', this.at, end);
    this.at = end + 1;
    return text;
  }

  int16(): number {
    this.at += 2;
    return this.body.readInt16BE(this.at - 2);
  }

  value(): string | null {
    const length = this.body.readInt32BE(this.at);
    this.at += 4;
    if (length < 0) return null;
    this.at += length;
    return this.body.toString('utf8', this.at - length, this.at);
  }
}
