import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { latch } from '../this-process/latch';

/** A proxy between the service and its database that detects commits of a customer. */
export interface CommitProxy {
  /** The URL of the database through the proxy. */
  readonly url: string;
  /**
   * Holds back the database's confirmation of the n-th commit for a customer from now on: the database has the work,
   * and the service does not know. After that, nothing that the service writes for the customer reaches the database.
   */
  holdAfter(customerId: string, commits: number): CommitHold;
  /**
   * Lets new messages pass again. Messages that were held back stay held; their connections are to end with the
   * service.
   */
  endHolds(): void;
  close(): Promise<void>;
}

export interface CommitHold {
  readonly isHeld: boolean;
  /** Resolves when the confirmation is held back. */
  readonly held: Promise<void>;
}

/** Matches statements that change rows. `for update` only locks rows. */
const WRITES = /\b(insert into|delete from|(?<!for |key )update|copy .* from stdin)\b/is;

/** Starts a proxy for a database. It counts only transactions that wrote something. */
export async function startCommitProxy(databaseUrl: string): Promise<CommitProxy> {
  const target = new URL(databaseUrl);
  const sockets = new Set<Socket>();
  let holds: readonly Hold[] = [];

  const server = createServer((client) => {
    const database = connect(Number(target.port), target.hostname);
    for (const [socket, peer] of [
      [client, database],
      [database, client],
    ] as const) {
      sockets.add(socket);
      socket.on('error', () => undefined); // Its end is what counts.
      socket.on('close', () => {
        sockets.delete(socket);
        peer.destroy();
      });
    }
    const session = new Session(() => holds);
    const [sent, said] = [new Messages(true), new Messages(false)];
    client.on('data', (chunk) => {
      const passed = sent.read(chunk).filter((message) => session.sends(message));
      if (passed.length > 0) database.write(Buffer.concat(passed));
    });
    database.on('data', (chunk) => {
      const passed = said.read(chunk).filter((message) => session.says(message));
      if (passed.length > 0) client.write(Buffer.concat(passed));
    });
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', () => resolve()));
  const { port } = server.address() as AddressInfo;

  return {
    url: Object.assign(new URL(databaseUrl), { host: `127.0.0.1:${port}` }).href,
    holdAfter: (customerId, commits) => {
      const hold = new Hold(customerId, commits);
      holds = [...holds, hold];
      return hold;
    },
    endHolds: () => {
      holds = [];
    },
    close: async () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

class Hold implements CommitHold {
  private readonly reached = latch();
  readonly held = this.reached.opened;
  private left: number;

  constructor(
    readonly customerId: string,
    commits: number,
  ) {
    this.left = commits;
  }

  get isHeld(): boolean {
    return this.left <= 0;
  }

  countCommit(): void {
    this.left -= 1;
    if (this.isHeld) this.reached.open();
  }
}

/** One connection, and what its transaction has written so far for which customer. */
class Session {
  /** Whether a prepared statement writes, by its name. */
  private readonly prepared = new Map<string, boolean>();
  private readonly concerned = new Set<Hold>();
  private hasWritten = false;
  private hasFailed = false;
  private isHeld = false;

  constructor(private readonly holds: () => readonly Hold[]) {}

  /** @returns whether a message of the service is to pass */
  sends(message: Buffer): boolean {
    if (this.isHeld) return false;
    this.hasWritten ||= this.writes(message);
    for (const hold of this.holds()) if (message.includes(hold.customerId)) this.concerned.add(hold);
    this.isHeld = this.hasWritten && [...this.concerned].some((hold) => hold.isHeld);
    return !this.isHeld;
  }

  /** @returns whether a message of the database is to pass */
  says(message: Buffer): boolean {
    if (this.isHeld) return false;
    const type = message.toString('latin1', 0, 1);
    if (type === 'E' || (type === 'C' && message.toString('latin1', 5, 13) === 'ROLLBACK'))
      this.hasFailed = true;
    // The message "ready for query", outside a transaction.
    if (type !== 'Z' || message.toString('latin1', 5) !== 'I') return true;
    const living = this.holds();
    if (this.hasWritten && !this.hasFailed) {
      for (const hold of this.concerned) {
        if (!living.includes(hold)) continue;
        hold.countCommit();
        this.isHeld ||= hold.isHeld;
      }
    }
    this.concerned.clear();
    this.hasWritten = false;
    this.hasFailed = false;
    return !this.isHeld;
  }

  private writes(message: Buffer): boolean {
    switch (message.toString('latin1', 0, 1)) {
      case 'Q':
        return WRITES.test(textAt(message, 5));
      case 'P': {
        const name = textAt(message, 5);
        this.prepared.set(name, WRITES.test(textAt(message, 5 + name.length + 1)));
        return false;
      }
      case 'B':
        return this.prepared.get(textAt(message, 5 + textAt(message, 5).length + 1)) ?? false;
      default:
        return false;
    }
  }
}

/** Reassembles the messages of the database protocol. */
class Messages {
  private rest: Buffer = Buffer.alloc(0);

  /** @param beginsWithoutType whether the first message is the one that opens a connection, which has no type */
  constructor(private beginsWithoutType: boolean) {}

  read(chunk: Buffer): readonly Buffer[] {
    this.rest = this.rest.length === 0 ? chunk : Buffer.concat([this.rest, chunk]);
    const messages: Buffer[] = [];
    for (;;) {
      // A type of one byte, then the length of what follows with its own four.
      const before = this.beginsWithoutType ? 0 : 1;
      if (this.rest.length < before + 4) return messages;
      const length = before + this.rest.readUInt32BE(before);
      if (this.rest.length < length) return messages;
      messages.push(this.rest.subarray(0, length));
      this.rest = this.rest.subarray(length);
      this.beginsWithoutType = false;
    }
  }
}

function textAt(message: Buffer, start: number): string {
  return message.toString('latin1', start, message.indexOf(0, start));
}
