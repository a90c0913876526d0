import { fc } from '../../../libs/mapper/src/testing/property';
import { roundsOf } from '../../support/customer-model/commands';
import { liveThrough } from '../../support/customer-model/live-through';
import { startModelService } from '../../support/customer-model/model-service';

/** Customers who live through rounds of commands. One finds what is new in time; the campaign `model` looks further. */
const RUNS = 1;

/** The most further customers who live until a change of one was tried and made, which depends on what they meet. */
const MORE = 5;

const rounds = roundsOf({ rounds: { min: 2, max: 3 }, commands: { min: 1, max: 3 } });

jest.setTimeout(120_000 + (RUNS + MORE) * 20_000);

describe('several clients of one customer, on two instances', () => {
  let service: Awaited<ReturnType<typeof startModelService>>;
  beforeAll(async () => {
    service = await startModelService();
  });
  afterAll(() => service.close());

  it('find everything in order after each round, whatever they did at once', async () => {
    await fc.assert(
      fc.asyncProperty(rounds, async (all) => void (await liveThrough(service, all))),
      // What happens at once happens otherwise the next time: a smaller example would show little.
      { numRuns: RUNS, endOnFailure: true },
    );
  });

  it('have tried changes and made them', async () => {
    // A sample begins with the customers who have lived above.
    const further = fc.sample(rounds, RUNS + MORE).slice(RUNS);
    for (const all of further) if (!service.met.has('tried and made')) await liveThrough(service, all);
    expect([...service.met]).toContain('tried and made');
  });
});
