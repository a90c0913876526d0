// Instances are killed after each commit and at random moments of changes, connects, decisions and own fields: clients send again with their keys, and all has its effect once.
import { setTimeout as sleep } from 'node:timers/promises';
import { fc } from '../../libs/mapper/src/testing/property';
import { api, type Answer } from '../support/api';
import { campaign, type CampaignTime } from '../support/campaign';
import { startCommitProxy } from '../support/commit-proxy';
import { FarPlatform, portfolioRecords } from '../support/far-platform';
import { servePlatform } from '../support/http-platform';
import type { Portfolio } from '../support/portfolio';
import {
  changes,
  connects,
  decisions,
  endLeases,
  ownFields,
  untilDone,
  type RepeatedWork,
} from '../support/repeated-work';
import type { ServiceProcess } from '../support/service-process';
import { servicesToKill } from '../support/services-to-kill';

/** A payment that both platforms have; another one. */
const CHANGED = ['1823456', 'a34e74db-53c7-4368-8fe7-bb87c83c7902'] as const;
const DECIDED = ['1823502', '92fbc013-8f0d-4443-a376-030481c85182'] as const;

/** Commits behind one answered request; there are fewer. */
const MOST = 60;

campaign('kill', (campaign) => {
  const services = servicesToKill();
  const { start, open } = services;
  type Options = NonNullable<Parameters<typeof start>[0]>;

  /** Work of one customer, and how many of its requests were answered. */
  interface Course {
    readonly work: RepeatedWork;
    readonly survivor: ServiceProcess;
    readonly portfolio: Portfolio;
    readonly options: Options;
    steps: number;
  }

  /** The request is sent to a service that lives until it is done, and once more: it has one effect and one answer. */
  async function repeat(
    { work, survivor, portfolio, steps }: Course,
    first: Answer | undefined,
  ): Promise<void> {
    const send = () => work.send(survivor.url, portfolio, steps);
    const done = await untilDone(send, () => Promise.resolve());
    await work.expectOnce(portfolio, steps, done);
    const again = await send();
    await work.expectOnce(portfolio, steps, again);
    if (!work.isKeyed) return;
    expect(again.headers.get('Idempotent-Replayed')).toBe('true');
    expect(again.text).toBe(done.text);
    if (first !== undefined) expect(withoutStates(done)).toEqual(withoutStates(first));
    campaign.count('answers compared');
  }

  /** One request, to an instance that is killed after so many commits. @returns whether it was answered before */
  async function killAfter(course: Course, commits: number): Promise<boolean> {
    const { work, portfolio } = course;
    const proxy = await startCommitProxy(services.databaseUrl);
    const victim = await start(course.options, proxy.url);
    // What a new instance does by itself is not counted: the key is known to it before.
    expect((await api(victim.url, portfolio.key).get('/connections')).status).toBe(200);
    course.steps += 1;
    const dead = new Promise<void>((resolve, reject) =>
      proxy.stopAfter(commits, () => void victim.kill().then(resolve, reject)),
    );
    const answer = await work.send(victim.url, portfolio, course.steps).catch(() => undefined);
    if (answer === undefined) await dead;
    else await victim.kill();
    campaign.count('kills');
    await endLeases(portfolio);
    await repeat(course, answer);
    await proxy.close();
    return answer !== undefined;
  }

  async function killAtEach(course: Course, time: CampaignTime): Promise<void> {
    for (let commits = 1; time.left(); commits += 1) {
      if (await killAfter(course, commits)) return;
      campaign.count('commit boundaries');
      expect(commits).toBeLessThan(MOST);
    }
  }

  campaign.part('has one whole effect after each commit', async (time) => {
    const far = new FarPlatform('platform_b', portfolioRecords('platform_b'));
    const served = await servePlatform(() => far);
    const options = { main: 'run-far-service.ts', env: { FAR_PLATFORM: served.url } };
    try {
      const near = await start();
      const apart = await start(options);
      const courses: Course[] = [];
      for (const work of [changes(...CHANGED), connects, decisions(...DECIDED), ownFields])
        courses.push({ work, survivor: near, portfolio: await open(near), options: {}, steps: 0 });
      courses.push({
        work: changes(...CHANGED),
        survivor: apart,
        portfolio: await open(apart),
        options,
        steps: 0,
      });
      while (time.left()) {
        for (const course of courses) await killAtEach(course, time);
        expect(far.effects).toHaveLength(courses.at(-1)?.steps ?? 0);
      }
    } finally {
      await served.close();
    }
  });

  campaign.part('has one whole effect when it is killed at any moment', async (time) => {
    const survivor = await start();
    const courses: Course[] = [];
    for (const work of [changes(...CHANGED), connects, decisions(...DECIDED), ownFields])
      courses.push({ work, survivor, portfolio: await open(survivor), options: {}, steps: 0 });
    for (const delayMs of time.cases(fc.integer({ min: 0, max: 400 }))) {
      const victim = await start();
      const connected = courses.map(({ portfolio }) => api(victim.url, portfolio.key).get('/connections'));
      await Promise.all(connected);
      const first = courses.map((course) => {
        course.steps += 1;
        return course.work.send(victim.url, course.portfolio, course.steps).catch(() => undefined);
      });
      await sleep(delayMs);
      await victim.kill();
      campaign.count('kills');
      const answers = await Promise.all(first);
      campaign.count('requests cut', answers.filter((answer) => answer === undefined).length);
      for (const { portfolio } of courses) await endLeases(portfolio);
      for (const [place, course] of courses.entries()) await repeat(course, answers[place]);
    }
  });
});

/** An answer but for what may be decided after it: a replay shows what became of the parts that waited. */
function withoutStates({ body }: Answer): unknown {
  return { ...body.data, propagated: undefined, warnings: undefined };
}
