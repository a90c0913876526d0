import { peakMemoryOf } from '../harness/cpu';
import { spreadOf } from '../harness/statistics';
import type { Service } from '../service/service';

/** Prints each measurement with the service's memory at that time. */
export class Report {
  constructor(private readonly service: Service) {}

  /** One measurement in seconds. */
  seconds(name: string, milliseconds: number, more = ''): void {
    this.line(name, `${(milliseconds / 1_000).toFixed(2)} s${more && `, ${more}`}`);
  }

  /** Several repetitions in milliseconds. */
  repeated(name: string, milliseconds: readonly number[]): void {
    const { median, least, most } = spreadOf(milliseconds);
    this.line(name, `${median.toFixed(0)} ms (${least.toFixed(0)} to ${most.toFixed(0)})`);
  }

  private line(name: string, text: string): void {
    const peak = peakMemoryOf(this.service.pid);
    const memory = peak === undefined ? '' : `   peak ${(peak / 1_000_000).toFixed(0)} MB`;
    process.stdout.write(`${name.padEnd(48)} ${text}${memory}\n`);
  }
}

/**
 * How long the service takes to answer a probe during other work.
 *
 * @returns the result, and the longest answer in milliseconds
 */
export async function probedWhile<T>(
  { url }: Service,
  work: () => Promise<T>,
): Promise<{ readonly result: T; readonly slowest: number }> {
  let going = true;
  let slowest = 0;
  const probe = async (): Promise<void> => {
    while (going) {
      const begun = performance.now();
      await (await fetch(`${url}/livez`)).text();
      slowest = Math.max(slowest, performance.now() - begun);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  };
  const probing = probe();
  try {
    return { result: await work(), slowest };
  } finally {
    going = false;
    await probing;
  }
}
