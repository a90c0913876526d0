import type { Browser, Page } from 'playwright-core';

/** An event of a trace; the fields that are read here. */
interface TraceEvent {
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  /** Microseconds of CPU. */
  readonly tdur?: number;
}

const MARK = 'measured page';

/**
 * The longest task of a page while something is done with it, in milliseconds of CPU: those of an idle core, since other work on
 * the machine makes a task take longer and not do more.
 */
export async function longestTask(browser: Browser, page: Page, work: () => Promise<void>): Promise<number> {
  const categories = ['disabled-by-default-devtools.timeline', 'blink.user_timing'];
  await browser.startTracing(page, { categories });
  // The browser has pages of its own, with threads of the same name.
  await page.evaluate(`performance.mark(${JSON.stringify(MARK)})`);
  await work();
  const text = (await browser.stopTracing()).toString();
  const { traceEvents } = JSON.parse(text) as { readonly traceEvents: readonly TraceEvent[] }; // As Chromium writes it.
  const own = traceEvents.find(({ name }) => name === MARK);
  const tasks = traceEvents.filter(
    ({ name, pid, tid }) => name === 'RunTask' && pid === own?.pid && tid === own.tid,
  );
  if (tasks.length === 0) throw new Error('The trace has no task of the page');
  return Math.max(...tasks.map(({ tdur = 0 }) => tdur)) / 1000;
}
