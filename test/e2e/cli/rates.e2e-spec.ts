import { startApp, type RunningApp } from '../../support/app/app';
import { keptCommandsOn, nobody } from './run-command';

describe('rates', () => {
  let service: RunningApp;
  beforeAll(async () => {
    service = await startApp();
  });
  const { cli, json, aCustomer } = keptCommandsOn(() => service.databaseUrl);
  afterAll(() => service.close());

  it('are set, replaced, listed and removed', async () => {
    const customer = await aCustomer();
    const unsaid = { decided_by: null, reason: null };
    const pair = ['--customer', customer, '--from', 'usd', '--to', 'QAR'];
    expect(await json('rates', 'set', ...pair, '--rate', '3.6')).toEqual({
      customer_id: customer,
      from: 'USD',
      to: 'QAR',
      rate: '3.6',
    });
    const why = ['--reason', 'The bank’s rate', '--decided-by', 'Omar'];
    await json('rates', 'set', ...pair, '--rate', '3.6400', ...why);
    await json('rates', 'set', '--customer', customer, '--from', 'EUR', '--to', 'QAR', '--rate', '4.1');
    expect(await json('rates', 'list', '--customer', customer)).toEqual({
      customer_id: customer,
      rates: [
        { from: 'EUR', to: 'QAR', rate: '4.1', set_at: expect.stringMatching(/Z$/), ...unsaid },
        {
          from: 'USD',
          to: 'QAR',
          rate: '3.6400',
          set_at: expect.stringMatching(/Z$/),
          decided_by: 'Omar',
          reason: 'The bank’s rate',
        },
      ],
    });
    expect((await cli('rates', 'list', '--customer', customer)).out).toContain('3.6400');
    await json('rates', 'remove', ...pair);
    expect(await cli('rates', 'remove', ...pair)).toMatchObject({ code: 1, out: '' });
    expect((await json('rates', 'list', '--customer', customer)).rates).toHaveLength(1);
  });

  it.each([
    ['--from', 'USD', '--to', 'QAR', '--rate', '0'],
    ['--from', 'USD', '--to', 'QAR', '--rate', '-1'],
    ['--from', 'USD', '--to', 'QAR', '--rate', '3,64'],
    ['--from', 'USD', '--to', 'QAR', '--rate', '1e3'],
    ['--from', 'USD', '--to', 'QAR'],
    ['--from', 'USD', '--to', 'USD', '--rate', '1'],
    ['--from', 'XQX', '--to', 'QAR', '--rate', '1'],
  ])('are not %s %s %s %s %s %s', async (...args) => {
    const { code, out, err } = await cli('rates', 'set', '--customer', await aCustomer(), ...args);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toMatch(/--(rate|to|from)/);
  });

  it('need a customer', async () => {
    const pair = ['--customer', nobody, '--from', 'USD', '--to', 'QAR'];
    for (const args of [
      ['set', ...pair, '--rate', '3.64'],
      ['list', '--customer', nobody],
      ['remove', ...pair],
    ]) {
      expect(await cli('rates', ...args)).toEqual({
        code: 1,
        out: '',
        err: `No customer with ID ${nobody}\n`,
      });
    }
  });
});
