import { availableParallelism, cpus, totalmem } from 'node:os';

/** The machine on which figures were measured. */
export interface Machine {
  readonly node: string;
  readonly postgres: string;
  readonly cores: number;
  readonly cpu: string;
  readonly memoryGiB: number;
  readonly date: string;
}

export function machineWith(postgres: string, now: Date): Machine {
  return {
    node: process.version,
    postgres,
    cores: availableParallelism(),
    cpu: cpus()[0]?.model.trim() ?? 'unknown',
    memoryGiB: Math.round(totalmem() / 1024 ** 3),
    date: now.toISOString().slice(0, 10),
  };
}

/** The machine in one line. */
export function machineText({ node, postgres, cores, cpu, memoryGiB, date }: Machine): string {
  return `Node ${node}, PostgreSQL ${postgres}, ${cores} cores (${cpu}), ${memoryGiB} GiB, ${date}`;
}
