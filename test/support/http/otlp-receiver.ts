import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffersOf, hexOf, numberOf, textOf, wireFields, type WireFields } from './protobuf';

type Attributes = Readonly<Record<string, string | number | boolean>>;

/** A span as a collector receives it. */
export interface ReceivedSpan {
  readonly traceId: string;
  readonly spanId: string;
  /** Empty for the first span of a trace. */
  readonly parentId: string;
  readonly traceState: string;
  readonly name: string;
  readonly kind: 'unspecified' | 'internal' | 'server' | 'client' | 'producer' | 'consumer';
  readonly status: 'unset' | 'ok' | 'error';
  readonly statusMessage: string;
  readonly attributes: Attributes;
  readonly events: number;
  /** Duration in nanoseconds. */
  readonly took: bigint;
}

/** A collector: an HTTP server that accepts spans over OTLP, and decodes them by the published schema. */
export interface OtlpReceiver {
  /** The value for OTEL_EXPORTER_OTLP_ENDPOINT. */
  readonly url: string;
  readonly spans: readonly ReceivedSpan[];
  readonly resources: readonly Attributes[];
  readonly requests: readonly { readonly path: string; readonly headers: IncomingHttpHeaders }[];
  /** Everything that was received, as text, for checks of what it must not contain. */
  text(): string;
  close(): Promise<void>;
}

/** @param answer replaces the acceptance of the spans */
export async function startOtlpReceiver(answer?: (response: ServerResponse) => void): Promise<OtlpReceiver> {
  const bodies: Buffer[] = [];
  const spans: ReceivedSpan[] = [];
  const resources: Attributes[] = [];
  const requests: { path: string; headers: IncomingHttpHeaders }[] = [];
  const server = createServer((request, response) => {
    void (async () => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer); // The stream has no encoding.
      const body = Buffer.concat(chunks);
      bodies.push(body);
      requests.push({ path: request.url ?? '', headers: request.headers });
      if (answer !== undefined) return answer(response);
      for (const group of buffersOf(wireFields(body), 1).map(wireFields)) {
        resources.push(...buffersOf(group, 1).map((resource) => attributesOf(wireFields(resource), 1)));
        for (const scope of buffersOf(group, 2)) {
          spans.push(...buffersOf(wireFields(scope), 2).map((span) => spanOf(wireFields(span))));
        }
      }
      response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end();
    })();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // A server that listens on a port has one.
  return {
    url: `http://127.0.0.1:${port}`,
    spans,
    resources,
    requests,
    text: () => Buffer.concat(bodies).toString('utf8'),
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const KINDS = ['unspecified', 'internal', 'server', 'client', 'producer', 'consumer'] as const;
const STATUSES = ['unset', 'ok', 'error'] as const;

/** The numbers of the fields are those of opentelemetry/proto/trace/v1/trace.proto. */
function spanOf(span: WireFields): ReceivedSpan {
  const status = wireFields(buffersOf(span, 15)[0] ?? Buffer.alloc(0));
  const timeOf = (number: number) => buffersOf(span, number)[0]?.readBigUInt64LE() ?? 0n;
  return {
    traceId: hexOf(span, 1),
    spanId: hexOf(span, 2),
    traceState: textOf(span, 3),
    parentId: hexOf(span, 4),
    name: textOf(span, 5),
    kind: KINDS[numberOf(span, 6)] ?? 'unspecified',
    status: STATUSES[numberOf(status, 3)] ?? 'unset',
    statusMessage: textOf(status, 2),
    attributes: attributesOf(span, 9),
    events: buffersOf(span, 11).length,
    took: timeOf(8) - timeOf(7),
  };
}

function attributesOf(fields: WireFields, number: number): Attributes {
  const pairs = buffersOf(fields, number).map(wireFields);
  return Object.fromEntries(
    pairs.map((pair) => [textOf(pair, 1), valueOf(wireFields(buffersOf(pair, 2)[0] ?? Buffer.alloc(0)))]),
  );
}

/** AnyValue of common.proto, as far as the service uses it. */
function valueOf(value: WireFields): string | number | boolean {
  if (value.has(2)) return numberOf(value, 2) === 1;
  if (value.has(3)) return numberOf(value, 3);
  if (value.has(4)) return buffersOf(value, 4)[0]?.readDoubleLE() ?? NaN;
  return textOf(value, 1);
}
