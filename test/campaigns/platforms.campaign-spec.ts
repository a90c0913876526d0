// Every fault at every step of writes to live platforms, with killed instances, edits of others and clocks that jump and differ: no effect is doubled, no write lost, every change ends.
import { fc } from '../../libs/mapper/src/testing/property';
import { campaign } from '../support/campaign/campaign';
import { withoutRateLimits } from '../support/app/short-waits';
import { FaultyLife } from '../support/campaign/live/faulty-life';
import { halves, moments, sequences, troubles, type Sequence } from '../support/campaign/live/sequence';
import { platforms } from '../support/customers/portfolio';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/**
 * Skews of clocks in milliseconds: an hour of daylight saving, a leap second that occurs twice, and clocks that are
 * not synchronised.
 */
const SKEWS = [-HOUR, -10 * MINUTE, -1_000, 0, 1_000, 10 * MINUTE, HOUR];

/** Milliseconds between two jumps of a clock. */
const JUMPS_EVERY_MS = 700;

/** Each fault at each of the first calls of a write to each platform. */
const eachTrouble: readonly Sequence[] = platforms.flatMap((platform) =>
  Object.keys(troubles).flatMap((what) =>
    (['GET', 'PATCH', 'POST'] as const).map((method): Sequence => {
      const met = [1, 2].map((nth) => ({ what, method, nth }));
      return {
        actions: [
          { kind: 'change', what: 'payment', by: 'canonical', fields: 3 },
          { kind: 'create', what: 'payment' },
          { kind: 'change', what: 'contract', by: 'canonical', fields: 7 },
        ],
        troubles: { platform_a: [], platform_b: [], [platform]: met },
      };
    }),
  ),
);

/** The end of an instance at each moment of a write to each platform. */
const eachEnd: readonly Sequence[] = platforms.flatMap((platform) =>
  moments.map((at): Sequence => ({
    actions: [
      { kind: 'kill', platform, at },
      { kind: 'change', what: 'payment', by: 'canonical', fields: 3 },
      { kind: 'create', what: 'payment' },
    ],
    troubles: { platform_a: [], platform_b: [] },
  })),
);

/** Half of the sequences are random, half are the cases that must not be missed. */
const either = fc.oneof(sequences, fc.constantFrom(...eachTrouble, ...halves));

/** Of two concurrent sequences, one certainly ends an instance, which interrupts the other one too. */
const together = fc.tuple(fc.constantFrom(...eachEnd), either);

campaign('platforms', (campaign) => {
  withoutRateLimits();

  const clocks = [
    { name: 'clocks that are right', skews: fc.constant([0, 0]), jumps: [] },
    {
      name: 'clocks that differ',
      skews: fc.array(fc.constantFrom(...SKEWS), { minLength: 2, maxLength: 2 }),
      jumps: [],
    },
    { name: 'clocks that jump', skews: fc.constant([0, 0]), jumps: [HOUR, 0, -HOUR, -1_000, 0, 10 * MINUTE] },
  ] as const;

  for (const { name, skews, jumps } of clocks) {
    campaign.part(`write once with ${name}`, async (time) => {
      const life = await FaultyLife.start(0, {
        CLOCK_JUMPS: jumps.join(','),
        CLOCK_JUMPS_EVERY_MS: String(JUMPS_EVERY_MS),
      });
      try {
        const cases = fc.record({ skews, all: together });
        let place = 0;
        for (const { skews: chosen, all } of time.cases(cases)) {
          await life.instances.have(chosen);
          const ended = await Promise.allSettled(all.map((sequence) => life.run(sequence, (place += 1))));
          for (const [at, end] of ended.entries())
            if (end.status === 'rejected')
              throw new Error(`${JSON.stringify({ place, chosen, sequence: all[at] })}`, {
                cause: end.reason,
              });
          campaign.count(`sequences with ${name}`, all.length);
        }
        expect(life.instances.kills).toBeGreaterThan(0);
      } finally {
        for (const [status, count] of life.outcomes) campaign.count(status, count);
        campaign.count('kills', life.instances.kills);
        await life.close();
      }
    });
  }
});
