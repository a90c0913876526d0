import type { Logger } from '../logging/logger';
import { BackgroundTasks } from './background-tasks';

describe('BackgroundTasks', () => {
  it('does each task again and again, and logs what failed', async () => {
    const lines: unknown[] = [];
    const logger = { warn: (...line: unknown[]) => void lines.push(line) };
    const background = new BackgroundTasks(logger as unknown as Logger);
    const problem = new Error('not today');
    let [failed, gone] = [0, 0];
    const often = new Promise<void>((resolve) => {
      const count = (): void => {
        if (failed > 2 && gone > 2) resolve();
      };
      background.start({
        pause: 1,
        run: () => {
          failed += 1;
          count();
          return Promise.reject(problem);
        },
        failure: 'It could not be done',
        context: 'Test',
      });
      background.start({
        pause: 1,
        run: () => {
          gone += 1;
          count();
          return Promise.resolve();
        },
        failure: 'It never fails',
      });
    });
    await often;
    background.onModuleDestroy();
    await background.beforeApplicationShutdown();
    expect(lines).toEqual(
      Array.from({ length: failed }, () => [{ context: 'Test', err: problem }, 'It could not be done']),
    );
  });

  it('ends when the service does: runs under way are asked to stop, and no other begins', async () => {
    const background = new BackgroundTasks({ warn: () => undefined } as unknown as Logger);
    let runs = 0;
    await new Promise<void>((begun) => {
      background.start({
        pause: 1,
        run: async (stop) => {
          runs += 1;
          begun();
          await new Promise((resolve) => stop.addEventListener('abort', resolve));
        },
        failure: 'It never fails',
      });
    });
    background.onModuleDestroy();
    await background.beforeApplicationShutdown();
    expect(runs).toBe(1);
  });
});
