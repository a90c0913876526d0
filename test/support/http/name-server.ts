import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { isIPv4 } from 'node:net';

/** A name server on this machine, over UDP. */
export interface NameServer {
  /** The address in the form that a resolver takes: `127.0.0.1:5353`. */
  readonly address: string;
  /** The queries so far, in order: `A hooks.example`. */
  readonly asked: readonly string[];
  /**
   * Sets the addresses of a name. With several lists, each query takes the next one, and the last one stays.
   *
   * @param answers the addresses of successive answers, IPv4 and IPv6 in any order
   */
  set(name: string, ...answers: readonly (readonly string[])[]): void;
  close(): Promise<void>;
}

const TYPES: ReadonlyMap<number, string> = new Map([
  [1, 'A'],
  [28, 'AAAA'],
]);
const HEADER = 12;
/** The time to live of answers in seconds. It is long, so a resolver that caches answers would miss the next one. */
const TIME_TO_LIVE = 3_600;
const NO_SUCH_NAME = 3;

/** Starts a name server that knows no name yet. It answers queries for A and AAAA (RFC 1035, RFC 3596). */
export async function startNameServer(): Promise<NameServer> {
  const names = new Map<string, Map<string, (readonly string[])[]>>();
  const asked: string[] = [];
  const socket = createSocket('udp4');
  socket.on('message', (question, { address, port }) => {
    const { name, type, end } = readQuestion(question);
    asked.push(`${type} ${name}`);
    const answers = names.get(name)?.get(type);
    const addresses = (answers !== undefined && answers.length > 1 ? answers.shift() : answers?.[0]) ?? [];
    const kept = addresses.filter((one) => isIPv4(one) === (type === 'A'));
    socket.send(responseTo(question.subarray(0, end), kept, names.has(name)), port, address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return {
    address: `127.0.0.1:${socket.address().port}`,
    asked,
    set: (name, ...answers) => {
      names.set(name, new Map([...TYPES.values()].map((type) => [type, [...answers]])));
    },
    close: async () => {
      socket.close();
      await once(socket, 'close');
    },
  };
}

interface Question {
  readonly name: string;
  readonly type: string;
  /** The offset of the first byte after it in the message. */
  readonly end: number;
}

function readQuestion(message: Buffer): Question {
  const labels: string[] = [];
  let at = HEADER;
  for (let length = message.readUInt8(at); length > 0; length = message.readUInt8(at)) {
    labels.push(message.toString('latin1', at + 1, at + 1 + length).toLowerCase());
    at += 1 + length;
  }
  const type = message.readUInt16BE(at + 1);
  return { name: labels.join('.'), type: TYPES.get(type) ?? String(type), end: at + 5 };
}

/** @param question its header and its one question */
function responseTo(question: Buffer, addresses: readonly string[], isKnown: boolean): Buffer {
  const head = Buffer.from(question);
  // An authoritative response with this number of answers and no other sections.
  head.writeUInt16BE(0x8580 | (isKnown ? 0 : NO_SUCH_NAME), 2);
  head.writeUInt16BE(addresses.length, 6);
  head.writeUInt32BE(0, 8);
  const records = addresses.map((address) => {
    const data = isIPv4(address) ? Buffer.from(address.split('.').map(Number)) : bytesOfIPv6(address);
    const record = Buffer.alloc(HEADER + data.length);
    record.writeUInt16BE(0xc000 | HEADER, 0); // The name is that of the question.
    record.writeUInt16BE(isIPv4(address) ? 1 : 28, 2);
    record.writeUInt16BE(1, 4);
    record.writeUInt32BE(TIME_TO_LIVE, 6);
    record.writeUInt16BE(data.length, 10);
    data.copy(record, HEADER);
    return record;
  });
  return Buffer.concat([head, ...records]);
}

/** The sixteen bytes of an address, which the URL standard writes in groups of hexadecimal digits. */
function bytesOfIPv6(address: string): Buffer {
  const [before = '', after = ''] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::');
  const first = before.split(':').filter((group) => group !== '');
  const last = after.split(':').filter((group) => group !== '');
  const groups = [...first, ...Array<string>(8 - first.length - last.length).fill('0'), ...last];
  return Buffer.from(groups.map((group) => group.padStart(4, '0')).join(''), 'hex');
}
