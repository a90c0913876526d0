/** The value of a field as it is on the wire. */
export type WireValue = bigint | Buffer;

/** The fields of a message in the Protocol Buffers wire format, by number. */
export type WireFields = ReadonlyMap<number, readonly WireValue[]>;

/**
 * Reads a message without its schema: https://protobuf.dev/programming-guides/encoding/. Written for these tests, so
 * that the encoder of the service is not proven by its own decoder.
 */
export function wireFields(message: Buffer): WireFields {
  const fields = new Map<number, WireValue[]>();
  let at = 0;
  const varint = (): bigint => {
    for (let value = 0n, shift = 0n; ; shift += 7n) {
      const byte = message.readUInt8(at++);
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  };
  const bytes = (length: number): Buffer => {
    if (at + length > message.length) throw new RangeError('A field ends behind its message');
    at += length;
    return message.subarray(at - length, at);
  };
  const valueOf = (type: number): WireValue => {
    switch (type) {
      case 0:
        return varint();
      case 1:
        return bytes(8);
      case 2:
        return bytes(Number(varint()));
      case 5:
        return bytes(4);
      default:
        throw new RangeError(`There is no wire type ${type}`);
    }
  };
  while (at < message.length) {
    const tag = Number(varint());
    const [number, value] = [tag >> 3, valueOf(tag & 7)];
    fields.set(number, [...(fields.get(number) ?? []), value]);
  }
  return fields;
}

/** The messages or texts of a repeated field. */
export function buffersOf(fields: WireFields, number: number): readonly Buffer[] {
  return (fields.get(number) ?? []).map((value) => {
    if (!Buffer.isBuffer(value)) throw new TypeError(`Field ${number} has no bytes`);
    return value;
  });
}

/** A number; 0, which is not written, if it is absent. */
export function numberOf(fields: WireFields, number: number): number {
  const value = fields.get(number)?.[0] ?? 0n;
  if (typeof value !== 'bigint') throw new TypeError(`Field ${number} is no number`);
  return Number(BigInt.asIntN(64, value));
}

/** A text; empty if it is absent. */
export function textOf(fields: WireFields, number: number): string {
  return buffersOf(fields, number)[0]?.toString('utf8') ?? '';
}

/** Bytes as hexadecimal digits; empty if they are absent. */
export function hexOf(fields: WireFields, number: number): string {
  return buffersOf(fields, number)[0]?.toString('hex') ?? '';
}
