import { readFileSync } from 'node:fs';

/** Clock ticks in a second, in which Linux counts CPU time for programs (USER_HZ). */
const TICKS = 100;

/** CPU seconds that a process has taken so far; undefined where the system does not say it in /proc. */
export function cpuSecondsOf(pid: number): number | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name of the program, in parentheses, may hold anything. User and system time are the 14th and 15th field.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[11]) + Number(fields[12])) / TICKS;
  } catch {
    return undefined;
  }
}

/** Peak of a process's resident memory in bytes; undefined where the system does not say it in /proc. */
export function peakMemoryOf(pid: number): number | undefined {
  const [, kilobytes] = /^VmHWM:\s+(\d+) kB$/m.exec(statusOf(pid)) ?? [];
  return kilobytes === undefined ? undefined : Number(kilobytes) * 1024;
}

/** A process's resident memory in bytes; undefined where the system does not say it in /proc. */
export function memoryOf(pid: number): number | undefined {
  const [, kilobytes] = /^VmRSS:\s+(\d+) kB$/m.exec(statusOf(pid)) ?? [];
  return kilobytes === undefined ? undefined : Number(kilobytes) * 1024;
}

function statusOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/status`, 'utf8');
  } catch {
    return '';
  }
}

/** CPU time that a process takes for each answer, collected over several loads. */
export class CpuPerResponse {
  private seconds = 0;
  private answers = 0;

  constructor(private readonly pid: number) {}

  async during<Result extends { readonly answers: number }>(work: () => Promise<Result>): Promise<Result> {
    const before = cpuSecondsOf(this.pid);
    const result = await work();
    const after = cpuSecondsOf(this.pid);
    if (before !== undefined && after !== undefined) {
      this.seconds += after - before;
      this.answers += result.answers;
    }
    return result;
  }

  /** Milliseconds for each answer; undefined where nothing is known. */
  get milliseconds(): number | undefined {
    return this.answers === 0 ? undefined : (this.seconds / this.answers) * 1000;
  }
}
