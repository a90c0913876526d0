/** @jest-environment node */
// Random commands of several clients on two instances, against a plain model: objects, versions, statements, cases, history, events, sign-offs, own fields and keys agree.
import type * as Limits from '../../src/database/connection/limits';
import { campaign } from '../support/campaign/campaign';
import { roundsOf } from '../support/customer-model/commands';
import { liveThrough } from '../support/customer-model/live-through';
import { startModelService } from '../support/customer-model/model-service';

/** The number of customers that together cover nearly everything; fewer do not. */
const MANY = 12;

const rounds = roundsOf({ rounds: { min: 3, max: 6 }, commands: { min: 8, max: 20 } });

const always = ['tried and made'];
const often = ['change', 'change 200', 'connect', 'read', 'decide', 'statement', 'pages', 'race', 'replayed'];
const seldom = ['change 422', 'change 409 with details', 'link 200', 'link 409', 'not_same 200'];
const rare = ['withdraw', 'cases', 'look', 'rate', 'precedence', 'history', 'outcome', 'events'];
const added = ['prepared', 'reviewed', 'unsign', 'signoffs', 'define', 'undefine', 'own field filled'];

// A longer limit for connections: machines are sometimes busy or suspended, and an answer that the database is
// unreachable proves nothing about the model.
jest.mock('../../src/database/connection/limits', () => {
  const limit = 900_000;
  return {
    ...jest.requireActual<typeof Limits>('../../src/database/connection/limits'),
    ...{ REQUEST_LIMIT_MS: limit, STATEMENT_LIMIT_MS: limit, CONNECT_LIMIT_MS: limit, PROBE_LIMIT_MS: limit },
  };
});

campaign('model', (campaign) => {
  let service: Awaited<ReturnType<typeof startModelService>>;
  beforeAll(async () => {
    service = await startModelService();
  });
  afterAll(() => service.close());

  campaign.part('agree with the model after each round', async (time) => {
    for (const all of time.cases(rounds)) {
      const commands = await liveThrough(service, all);
      campaign.count('customers');
      campaign.count('rounds', all.length);
      campaign.count('commands', commands);
    }
    const known =
      campaign.counted('customers') < MANY ? always : [...always, ...often, ...seldom, ...rare, ...added];
    expect(known.filter((one) => !service.met.has(one))).toEqual([]);
  });
});
