import { setTimeout as sleep } from 'node:timers/promises';

/**
 * The result of work, and the longest time for which nothing else could run meanwhile, in milliseconds that this process
 * was at work. Time in which the machine let the process wait does not count.
 */
export async function blockedDuring<T>(work: Promise<T>): Promise<{ longest: number; result: T }> {
  let longest = 0;
  let began = performance.now();
  let used = process.cpuUsage();
  const clock = setInterval(() => {
    const { user, system } = process.cpuUsage(used);
    longest = Math.max(longest, Math.min(performance.now() - began, (user + system) / 1_000));
    began = performance.now();
    used = process.cpuUsage();
  }, 1);
  try {
    const result = await work;
    await sleep(30); // The clock is to see the end as well.
    return { longest, result };
  } finally {
    clearInterval(clock);
  }
}
