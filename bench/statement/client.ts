/** An answer of the service, read whole. */
export interface Answered {
  readonly status: number;
  readonly body: string;
  /** Milliseconds until the first bytes of the body, and until the last ones. */
  readonly first: number;
  readonly whole: number;
  readonly bytes: number;
}

/** Asks the service under test as one customer. */
export class BenchClient {
  constructor(
    private readonly url: string,
    private readonly key: string,
  ) {}

  /**
   * @param keep whether to keep the body; a file of half a gigabyte is only counted
   * @param tolerant takes any answer
   * @throws when the answer is not a success
   */
  async ask(
    path: string,
    options: {
      readonly method?: string;
      readonly body?: unknown;
      readonly accept?: string;
      readonly keep?: boolean;
      readonly tolerant?: boolean;
    } = {},
  ): Promise<Answered> {
    const { method = 'GET', body, accept = 'application/json', keep = true, tolerant = false } = options;
    const begun = performance.now();
    const answer = await fetch(`${this.url}/api/v1${path}`, {
      method,
      headers: {
        authorization: `Bearer ${this.key}`,
        accept,
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    let first: number | undefined;
    let bytes = 0;
    const kept: Uint8Array[] = [];
    for await (const chunk of answer.body ?? []) {
      const part = chunk as Uint8Array; // What fetch reads are bytes.
      first ??= performance.now() - begun;
      bytes += part.byteLength;
      if (keep || !answer.ok) kept.push(part);
    }
    const whole = performance.now() - begun;
    const text = Buffer.concat(kept).toString();
    if (!answer.ok && !tolerant) throw new Error(`${method} ${path}: ${answer.status} ${text.slice(0, 500)}`);
    return { status: answer.status, body: text, first: first ?? whole, whole, bytes };
  }

  /** The same, as the API describes it; the caller says which part of it is looked at. */
  async json<T>(path: string, options: Parameters<BenchClient['ask']>[1] = {}): Promise<T> {
    return JSON.parse((await this.ask(path, options)).body) as T;
  }
}
