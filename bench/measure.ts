import { Agent, request, type RequestOptions } from 'node:http';

/** The time that something took, and the most by which the process grew meanwhile. */
export interface Measured<Result> {
  readonly result: Result;
  readonly seconds: number;
  /** Peak of the resident set over that at the start, in MiB. */
  readonly grownMiB: number;
}

const MIB = 1024 ** 2;

export async function measured<Result>(work: () => Promise<Result>): Promise<Measured<Result>> {
  globalThis.gc?.();
  const before = process.memoryUsage.rss();
  let peak = before;
  const look = () => (peak = Math.max(peak, process.memoryUsage.rss()));
  const sampler = setInterval(look, 20);
  const start = performance.now();
  try {
    const result = await work();
    const seconds = (performance.now() - start) / 1000;
    look();
    return { result, seconds, grownMiB: (peak - before) / MIB };
  } finally {
    clearInterval(sampler);
  }
}

export interface Call {
  readonly method: 'GET' | 'POST';
  /** Relative to `/api/v1`. */
  readonly path: string;
  readonly body?: string;
}

/** A client that keeps its connections. */
export class Client {
  private readonly agent = new Agent({ keepAlive: true, maxSockets: 8 });

  constructor(
    private readonly url: string,
    private readonly key: string,
  ) {}

  /** Reads an answer without keeping it and resolves to its bytes. Anything but 200 is an error. */
  call({ method, path, body }: Call): Promise<number> {
    const options: RequestOptions = {
      method,
      agent: this.agent,
      headers: {
        Authorization: `Bearer ${this.key}`,
        ...(body !== undefined && {
          'Content-Type': 'application/json',
          'Content-Length': Buffer.byteLength(body),
        }),
      },
    };
    return new Promise((resolve, reject) => {
      const sent = request(`${this.url}/api/v1${path}`, options, (answer) => {
        let bytes = 0;
        answer.on('data', (chunk: Buffer) => (bytes += chunk.length));
        answer.on('error', reject);
        answer.on('end', () =>
          answer.statusCode === 200
            ? resolve(bytes)
            : reject(new Error(`${method} ${path}: ${answer.statusCode}`)),
        );
      });
      sent.on('error', reject);
      sent.end(body);
    });
  }

  /** Answers a second, with eight requests under way at any time. */
  async rate(seconds: number, next: (index: number) => Call): Promise<number> {
    const end = performance.now() + seconds * 1000;
    let answers = 0;
    const start = performance.now();
    await Promise.all(
      Array.from({ length: 8 }, async () => {
        while (performance.now() < end) {
          await this.call(next(answers));
          answers += 1;
        }
      }),
    );
    return answers / ((performance.now() - start) / 1000);
  }

  close(): void {
    this.agent.destroy();
  }
}
