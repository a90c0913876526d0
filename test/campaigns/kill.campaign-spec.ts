// An instance is killed after each commit and at random moments of changes, connects, decisions, own fields, creations, deliveries and notices of platforms: clients send again with their keys, and all has its effect once.
import { setTimeout as sleep } from 'node:timers/promises';
import { fc } from '../../libs/mapper/src/testing/property';
import { campaign } from '../support/campaign';
import { withOpenGates } from '../support/hasty-platforms';
import { KilledCourses, type Course } from '../support/killed-courses';

/** Commits behind one request and all that follows from it; there are fewer. */
const MOST = 60;

/** Milliseconds after which an instance is killed though not all its requests have come to their commit. */
const PATIENCE_MS = 3_000;

campaign('kill', (campaign) => {
  withOpenGates();
  let killed: KilledCourses;
  let close = (): Promise<void> => Promise.resolve();
  beforeAll(async () => {
    killed = await KilledCourses.start(campaign.seed);
    close = () => killed.close();
  });
  afterAll(() => close());

  async function killAndRepeat(sent: ReturnType<KilledCourses['send']>): Promise<void> {
    await killed.kill();
    campaign.count('kills');
    const { cut, compared } = await killed.repeat(sent);
    campaign.count('requests cut', cut);
    campaign.count('answers compared', compared);
  }

  campaign.part('has one whole effect after each commit', async (time) => {
    const commits = new Map<Course, number>();
    while (time.left()) {
      const courses = killed.next();
      const holds = courses.map((course) =>
        killed.proxy.holdAfter(course.portfolio.customerId, commits.get(course) ?? 1),
      );
      const sent = killed.send(courses);
      const whole = new Set<Course>();
      const each = sent.map(({ course, done }, place) =>
        Promise.race([done.then(() => whole.add(course)), holds[place]?.held]),
      );
      await Promise.race([Promise.all(each), sleep(PATIENCE_MS)]);
      for (const [place, { course }] of sent.entries()) {
        const before = commits.get(course) ?? 1;
        const isHeld = holds[place]?.isHeld === true;
        if (isHeld) campaign.count('commit boundaries');
        if (isHeld) campaign.most(`commits of ${course.work.name}`, before);
        // One that came to neither is tried there again.
        if (isHeld) commits.set(course, before + 1);
        else if (whole.has(course)) commits.set(course, 1);
        expect(before).toBeLessThan(MOST);
      }
      await killAndRepeat(sent);
    }
  });

  campaign.part('has one whole effect when it is killed at any moment', async (time) => {
    for (const delayMs of time.cases(fc.integer({ min: 0, max: 800 }))) {
      const sent = killed.send(killed.next());
      await sleep(delayMs);
      await killAndRepeat(sent);
    }
  });
});
