import { Client } from 'pg';
import { startApp, type RunningApp } from '../../support/app/app';
import { keptCommandsOn, nobody } from './run-command';

describe('the terms of a customer', () => {
  let service: RunningApp;
  let database: Client;
  beforeAll(async () => {
    service = await startApp();
    database = new Client({ connectionString: service.databaseUrl });
    await database.connect();
  });
  const { cli, json, aCustomer } = keptCommandsOn(() => service.databaseUrl);
  afterAll(async () => {
    await database.end();
    await service.close();
  });

  it('have a precedence, which can be set, replaced, listed and cleared', async () => {
    const customer = await aCustomer();
    const of = (field: string) => ['--customer', customer, '--entity-type', 'payment', '--field', field];
    await json('precedence', 'set', ...of('date'), '--platforms', 'platform_b');
    expect(await json('precedence', 'set', ...of('amount'), '--platforms', 'platform_b, platform_a')).toEqual(
      {
        customer_id: customer,
        entity_type: 'payment',
        field: 'amount',
        platforms: ['platform_b', 'platform_a'],
      },
    );
    const why = ['--reason', 'The ERP pays', '--decided-by', 'Omar'];
    await json('precedence', 'set', ...of('date'), '--platforms', 'platform_b,platform_a', ...why);
    const since = expect.stringMatching(/Z$/);
    const platforms = ['platform_b', 'platform_a'];
    expect(await json('precedence', 'list', '--customer', customer)).toEqual({
      customer_id: customer,
      default_platforms: ['platform_a', 'platform_b'],
      precedence: [
        { entity_type: 'payment', field: 'amount', platforms, since, decided_by: null, reason: null },
        {
          entity_type: 'payment',
          field: 'date',
          platforms,
          since,
          decided_by: 'Omar',
          reason: 'The ERP pays',
        },
      ],
    });
    expect((await cli('precedence', 'list', '--customer', customer)).out).toContain('platform_b,platform_a');
    expect(await json('precedence', 'clear', ...of('date'))).toMatchObject({ cleared: true });
    expect(await cli('precedence', 'clear', ...of('date'))).toEqual({
      code: 1,
      out: '',
      err: `Customer ${customer} has no precedence for payment.date\n`,
    });
    expect((await json('precedence', 'list', '--customer', customer)).precedence).toHaveLength(1);
  });

  it('have fields of their own, which can be set, replaced, listed and removed', async () => {
    const customer = await aCustomer();
    const of = ['--customer', customer, '--entity-type', 'payment', '--name', 'cost_center'];
    const set = (...options: string[]) => cli('fields', 'set', ...of, ...options);
    const why = ['--reason', 'Agreed', '--decided-by', 'Omar'];
    const text = ['--codec', 'text', '--label', 'Cost center'];
    const places = ['--place', 'platform_a=custom.center', '--writable-place', 'platform_b=costCenter'];
    expect(await json('fields', 'set', ...of, ...text, ...places, ...why)).toMatchObject({
      ...{ customer_id: customer, entity_type: 'payment', field: 'custom.cost_center', codec: 'text' },
      platforms: {
        platform_a: { path: 'custom.center', writable: false },
        platform_b: { path: 'costCenter', writable: true },
      },
      ...{ label: 'Cost center', reason: 'Agreed', decided_by: 'Omar' },
    });
    const anew = await set('--one-of', 'north, south', '--place', 'platform_b=costCenter');
    expect(anew).toMatchObject({
      code: 0,
      out: 'payment.custom.cost_center: one of north, south on platform_b=costCenter\n',
    });
    const { fields } = await json('fields', 'list', '--customer', customer);
    expect(fields).toEqual([
      expect.objectContaining({ codec: { one_of: ['north', 'south'] }, reason: null }),
    ]);
    const { out } = await cli('fields', 'list', '--customer', customer);
    expect(out).toMatch(/^entity_type +field +codec .*\npayment +custom\.cost_center +one of north, south +/);
    for (const [options, problem] of [
      [['--place', 'platform_b=x'], /either --codec or --one-of/],
      [['--codec', 'text', '--one-of', 'x', '--place', 'platform_b=x'], /either --codec or --one-of/],
      [['--codec', 'text'], /platforms: expected at least one platform/],
      [['--codec', 'text', '--place', 'nowhere=x'], /Expected platform_a or platform_b/],
      [['--codec', 'text', ...places, '--place', 'platform_b=y'], /platform_b has two places/],
      [['--one-of', 'x,x', '--place', 'platform_b=x'], /codec\.one_of: each value at most once/],
    ] as const)
      expect(await set(...options)).toEqual({ code: 2, out: '', err: expect.stringMatching(problem) });
    const taken = await set('--codec', 'text', '--place', 'platform_a=amount');
    expect(taken).toMatchObject({ code: 1, err: expect.stringMatching(/amount of platform_a holds amount/) });
    expect(await json('fields', 'remove', ...of)).toMatchObject({ removed: true });
    expect(await cli('fields', 'remove', ...of)).toMatchObject({
      code: 1,
      err: 'There is no own field cost_center of payment\n',
    });
  });

  it('have a level for each rule', async () => {
    const customer = await aCustomer();
    const unset = { since: null, decided_by: null, reason: null };
    const set = ['rules', 'set', '--customer', customer, '--rule', 'paid_above_billed'];
    expect(await json(...set, '--level', 'off')).toEqual({
      customer_id: customer,
      rule: 'paid_above_billed',
      level: 'off',
    });
    await json(...set, '--level', 'warn', '--reason', 'Until June', '--decided-by', 'Omar');
    expect(await json('rules', 'list', '--customer', customer)).toEqual({
      customer_id: customer,
      rules: [
        {
          rule: 'paid_above_billed',
          level: 'warn',
          since: expect.stringMatching(/Z$/),
          decided_by: 'Omar',
          reason: 'Until June',
        },
        { rule: 'billed_above_contract', level: 'refuse', ...unset },
        { rule: 'currency_unlike_contract', level: 'refuse', ...unset },
        { rule: 'locked_on_platform', level: 'refuse', ...unset },
        { rule: 'create_missing', level: 'ask', ...unset },
      ],
    });
    expect((await cli('rules', 'list', '--customer', customer)).out).toContain('paid_above_billed');
    const clear = ['rules', 'clear', '--customer', customer, '--rule', 'paid_above_billed'];
    expect(await json(...clear)).toEqual({ customer_id: customer, rule: 'paid_above_billed', cleared: true });
    expect((await json('rules', 'list', '--customer', customer)).rules[0]).toMatchObject({ level: 'refuse' });
    expect(await cli(...clear)).toEqual({
      code: 1,
      out: '',
      err: `Customer ${customer} has no rule for paid_above_billed\n`,
    });
  });

  it('have a level for the creation of missing records', async () => {
    const customer = await aCustomer();
    const set = ['rules', 'set', '--customer', customer, '--rule', 'create_missing'];
    expect(await json(...set, '--level', 'never')).toEqual({
      customer_id: customer,
      rule: 'create_missing',
      level: 'never',
    });
    expect((await json('rules', 'list', '--customer', customer)).rules).toContainEqual({
      rule: 'create_missing',
      level: 'never',
      since: expect.stringMatching(/Z$/),
      decided_by: null,
      reason: null,
    });
    for (const [rule, level] of [
      ['create_missing', 'warn'],
      ['paid_above_billed', 'ask'],
    ] as const) {
      const { code, out, err } = await cli(
        ...['rules', 'set', '--customer', customer, '--rule', rule, '--level', level],
      );
      expect({ code, out }).toEqual({ code: 2, out: '' });
      expect(err).toContain(`--level ${level}: expected one of`);
    }
  });

  it('stay stored after they are replaced or removed', async () => {
    const customer = await aCustomer();
    const pair = ['--customer', customer, '--from', 'USD', '--to', 'QAR'];
    for (const rate of ['3.6', '3.64']) await json('rates', 'set', ...pair, '--rate', rate);
    await json('rates', 'remove', ...pair);
    for (const level of ['warn', 'off']) {
      await json('rules', 'set', '--customer', customer, '--rule', 'locked_on_platform', '--level', level);
    }
    const { rows: rates } = await database.query(
      `select rate, ended_at = lead(set_at, 1, ended_at) over (order by set_at) as ends_with_the_next
       from exchange_rates where customer_id = $1 order by set_at`,
      [customer],
    );
    expect(rates).toEqual([
      { rate: '3.6', ends_with_the_next: true },
      { rate: '3.64', ends_with_the_next: true },
    ]);
    const { rows: rules } = await database.query(
      `select value, until is null as holds from customer_terms where customer_id = $1 order by since`,
      [customer],
    );
    expect(rules).toEqual([
      { value: 'warn', holds: false },
      { value: 'off', holds: true },
    ]);
    const { rows: changes } = await database.query(
      `select origin, detail from changes where customer_id = $1 order by at`,
      [customer],
    );
    expect(changes).toEqual([
      { origin: 'terms', detail: { kind: 'rate', name: 'USD QAR', value: '3.6' } },
      { origin: 'terms', detail: { kind: 'rate', name: 'USD QAR', value: '3.64' } },
      { origin: 'terms', detail: { kind: 'rate', name: 'USD QAR', value: null } },
      { origin: 'terms', detail: { kind: 'rule', name: 'locked_on_platform', value: 'warn' } },
      { origin: 'terms', detail: { kind: 'rule', name: 'locked_on_platform', value: 'off' } },
    ]);
  });

  it.each([
    ['payment', 'invoice_id', 'platform_b', 'a reference has no precedence'],
    ['payment', 'created_at', 'platform_b', 'each platform keeps its own'],
    ['payment', 'colour', 'platform_b', 'no field of payment'],
    ['payment', 'amount', 'platform_x', 'platform_x'],
    ['payment', 'amount', 'platform_b,platform_b', 'at most once'],
    ['budget_line_item', 'amount', 'platform_b', '--entity-type'],
  ])('is not the precedence of %s.%s %s', async (type, field, platforms, problem) => {
    const args = ['--entity-type', type, '--field', field, '--platforms', platforms];
    const { code, out, err } = await cli('precedence', 'set', '--customer', await aCustomer(), ...args);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toContain(problem);
  });

  it('need a customer', async () => {
    const field = ['--customer', nobody, '--entity-type', 'payment', '--field', 'amount'];
    for (const args of [
      ['precedence', 'set', ...field, '--platforms', 'platform_b'],
      ['precedence', 'list', '--customer', nobody],
      ['precedence', 'clear', ...field],
      ['rules', 'set', '--customer', nobody, '--rule', 'paid_above_billed', '--level', 'warn'],
      ['rules', 'list', '--customer', nobody],
      ['fields', 'list', '--customer', nobody],
      ['fields', 'set', ...field.slice(0, 4), '--name', 'x', '--codec', 'text', '--place', 'platform_b=x'],
    ]) {
      expect(await cli(...args)).toEqual({ code: 1, out: '', err: `No customer with ID ${nobody}\n` });
    }
  });
});
