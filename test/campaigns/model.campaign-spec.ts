// Random commands of several clients on two instances, against a plain model: objects, versions, statements, cases, history and keys agree.
import { campaign } from '../support/campaign';
import { rounds } from '../support/customer-model/commands';
import { liveThrough } from '../support/customer-model/life';
import { startModelService } from '../support/customer-model/model-service';

/** Customers who meet nearly everything; fewer do not. */
const MANY = 100;

const always = ['tried and made'];
const often = ['change', 'change 200', 'connect', 'read', 'decide', 'statement', 'pages', 'race', 'replayed'];
const seldom = ['change 422', 'change 409 with details', 'link 200', 'link 409', 'not_same 200'];
const rare = ['withdraw', 'cases', 'look', 'rate', 'precedence'];

campaign('model', (campaign) => {
  let service: Awaited<ReturnType<typeof startModelService>>;
  beforeAll(async () => {
    service = await startModelService();
  });
  afterAll(() => service.close());

  campaign.part('agree with the model after each round', async (time) => {
    for (const all of time.cases(rounds)) {
      await liveThrough(service, all);
      campaign.count('customers');
      campaign.count('rounds', all.length);
      campaign.count(
        'commands',
        all.reduce((sum, { commands }) => sum + commands.length, 0),
      );
    }
    const known = campaign.counted('customers') < MANY ? always : [...always, ...often, ...seldom, ...rare];
    expect(known.filter((one) => !service.met.has(one))).toEqual([]);
  });
});
