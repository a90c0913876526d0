import { expectError, isReplay } from '../../support/app/expectations';
import {
  latchUntilClose,
  startFarService,
  type FarCustomer,
  type FarService,
} from '../../support/platforms/far-customer';
import type { Reaction } from '../../support/platforms/far-platform';
import { ON_B } from '../../support/customers/portfolio';

jest.setTimeout(60_000);

describe('an Idempotency-Key, when a platform is far away', () => {
  let service: FarService;
  let customer: FarCustomer;
  beforeAll(async () => {
    service = await startFarService();
  });
  beforeEach(async () => {
    customer = await service.open('platform_b');
    service.waitFor(10_000);
  });
  afterAll(() => service.close());

  const send = (key: string, comment: string) =>
    customer.client.post(
      '/propagate',
      {
        format: 'platform',
        platform: 'platform_b',
        platform_id: ON_B,
        entity_type: 'payment',
        data: { comment },
      },
      { 'Idempotency-Key': key },
    );

  /** The far platform takes its next write when it is let. */
  function heldBack(): { readonly open: () => void } {
    const { opened, open } = latchUntilClose();
    const reaction: Reaction = async (command, platform) => {
      await opened;
      return { status: 'applied', payload: platform.take(command) };
    };
    customer.far.platform_b.reactions.push(reaction);
    return { open };
  }

  it('gives the answer with all outcomes again, as it was', async () => {
    const first = await send('far', 'in time');
    expect(first.body.data.propagated.platform_b.status).toBe('applied');
    await customer.native('platform_b', 'payment', ON_B, { comment: 'later' });
    const again = await send('far', 'in time');
    expect([again.status, again.text, isReplay(again)]).toEqual([200, first.text, true]);
    expect(customer.far.platform_b.effects).toHaveLength(2);
  });

  it('answers 409 as long as the first one waits for the platform', async () => {
    const platform = heldBack();
    const first = send('far', 'slow');
    await customer.until(async () => (await customer.commands()).length > 0);
    expectError(await send('far', 'slow'), 409, 'CONFLICT_ERROR', /still under way/);
    platform.open();
    const answer = await first;
    expect(answer.body.data.propagated.platform_b.status).toBe('applied');
    expect((await send('far', 'slow')).text).toBe(answer.text);
    expect(customer.far.platform_b.effects).toHaveLength(1);
  });

  it('shows outcomes that were pending as they are now', async () => {
    service.waitFor(0);
    const platform = heldBack();
    const first = await send('far', 'pending');
    expect(first.body.data.propagated.platform_b.status).toBe('pending');
    const id = first.body.data.propagation_id;
    const meanwhile = await send('far', 'pending');
    expect([meanwhile.status, isReplay(meanwhile)]).toEqual([200, true]);
    expect(meanwhile.body.data).toMatchObject({
      propagation_id: id,
      propagated: { platform_b: { status: 'pending' } },
    });
    platform.open();
    expect(await customer.decided()).toEqual(['applied', 'applied']);
    const done = await send('far', 'pending');
    expect(isReplay(done)).toBe(true);
    expect(done.body.data).toEqual(await customer.propagation(id));
    expect(done.body.data.propagated).toMatchObject({
      platform_a: { status: 'applied' },
      platform_b: { status: 'applied' },
    });
    expect(customer.far.platform_b.effects).toHaveLength(1);
  });

  it('keeps an answer in which the platform has rejected the change', async () => {
    customer.far.platform_b.reactions.push({ reject: 'the period is closed' });
    const first = await send('far', 'rejected');
    expect(first.body.data.propagated).toMatchObject({
      platform_a: { status: 'skipped' },
      platform_b: { status: 'rejected', reason: 'the period is closed' },
    });
    const again = await send('far', 'rejected');
    expect([again.text, isReplay(again)]).toEqual([first.text, true]);
    expect(customer.far.platform_b.submitted).toHaveLength(1);
  });
});
