import { startApp, type RunningApp } from '../../support/app/app';
import { expectError } from '../../support/app/expectations';
import {
  platforms,
  portfolios,
  type Portfolio,
  type StoredType,
  type Portfolios,
} from '../../support/customers/portfolio';

jest.setTimeout(30_000);

describe('POST /propagate, statuses', () => {
  let app: RunningApp;
  let all: Portfolios;
  let portfolio: Portfolio;

  beforeAll(async () => {
    app = await startApp();
    all = await portfolios(app);
    portfolio = await all.open();
  });
  afterAll(async () => {
    await all.close();
    await app.close();
  });

  async function idOf(type: StoredType, onA: string): Promise<string> {
    return (await portfolio.find('platform_a', type, onA)).canonical_id;
  }

  /** The status as both listings show it; they must agree. */
  async function shown(type: StoredType, id: string): Promise<string> {
    const words = [];
    for (const platform of platforms) words.push((await portfolio.find(platform, type, id)).data.status);
    expect(new Set(words).size).toBe(1);
    return words[0];
  }

  // Each step begins where the one before left off, so that every word is reached from another.
  it.each([
    [
      'contract',
      '1945782',
      'approved',
      [
        ['in_progress', 'Approved', 'unchanged'],
        ['closed', 'Complete', 'applied'],
        ['completed', 'Complete', 'unchanged'],
        ['out_for_bid', 'Out For Bid', 'applied'],
        ['pending_approval', 'Out For Signature', 'applied'],
        ['processing', 'Out For Signature', 'unchanged'],
        ['terminated', 'Terminated', 'applied'],
        ['void', 'Void', 'applied'],
        ['draft', 'Draft', 'applied'],
        ['approved', 'Approved', 'applied'],
      ],
    ],
    [
      'contract',
      '1946019',
      'approved',
      [
        ['closed', 'Closed', 'applied'],
        ['terminated', 'Closed', 'unchanged'],
        ['void', 'Closed', 'unchanged'],
        ['in_progress', 'Partially Received', 'applied'],
        ['processing', 'Processing', 'applied'],
        ['pending_approval', 'Submitted', 'applied'],
        ['out_for_bid', 'Draft', 'applied'],
        ['draft', 'Draft', 'unchanged'],
        ['approved', 'Approved', 'applied'],
        ['completed', 'Received', 'applied'],
      ],
    ],
    [
      'invoice',
      '10074',
      'in_review',
      [
        ['paid', 'approved', 'applied'],
        ['approved', 'approved', 'unchanged'],
        ['revise_and_resubmit', 'revise_and_resubmit', 'applied'],
        ['pending_owner_approval', 'pending_owner_approval', 'applied'],
        ['in_review', 'under_review', 'applied'],
        ['approved_as_noted', 'approved_as_noted', 'applied'],
        ['draft', 'draft', 'applied'],
      ],
    ],
  ] as const)(
    'of a %s: platform_a says it, platform_b lets nobody (%s)',
    async (type, onA, wordOnB, steps) => {
      const id = await idOf(type, onA);
      const onB = (await portfolio.find('platform_b', type, id)).platform_data;
      for (const [word, literal, status] of steps) {
        const { body } = await portfolio.canonical(type, id, { status: word });
        expect(body.data).toMatchObject({
          canonical: { updated_fields: ['status'], data: { status: word } },
          propagated: {
            platform_a: { status, data: { status: literal } },
            platform_b: { status: 'unchanged', data: onB },
          },
        });
        const { left } = body.data.propagated.platform_b;
        expect(left?.[0]?.field).toBe(word === wordOnB ? undefined : 'status');
        expect(await shown(type, id)).toBe(word);
        const again = await portfolio.canonical(type, id, { status: word });
        expect(again.body.data.canonical.updated_fields).toEqual([]);
      }
    },
  );

  it('of a customer: platform_b is more precise', async () => {
    const id = await idOf('customer', '501011');
    for (const [word, isActive, blocked] of [
      ['ship_blocked', true, 'Ship'],
      ['invoice_blocked', true, 'Invoice'],
      ['inactive', false, 'All'],
      ['active', true, '_x0020_'],
    ] as const) {
      const { body } = await portfolio.canonical('customer', id, { status: word });
      expect(body.data.canonical.updated_fields).toEqual(['status']);
      expect(body.data.propagated).toMatchObject({
        platform_a: { data: { is_active: isActive } },
        platform_b: { status: 'applied', data: { blocked } },
      });
      expect(await shown('customer', id)).toBe(word);
    }
    const native = await portfolio.native('platform_b', 'customer', '70af7cef-d067-46a9-bf02-b175244ccb31', {
      blocked: 'All',
    });
    expect(native.body.data.propagated.platform_a).toMatchObject({
      status: 'applied',
      data: { is_active: false },
    });
    expect(await shown('customer', id)).toBe('inactive');
  });

  it('of a project: platform_a knows two of five words, and the service keeps the others', async () => {
    const id = await idOf('project', '341289');
    for (const [word, active] of [
      ['planning', true],
      ['completed', false],
      ['inactive', false],
      ['quote', true],
      ['active', true],
    ] as const) {
      const { body } = await portfolio.canonical('project', id, { status: word });
      expect(body.data.canonical.updated_fields).toEqual(['status']);
      expect(body.data.propagated.platform_a.data.active).toBe(active);
      expect(await shown('project', id)).toBe(word);
    }
  });

  it('a change on a platform takes the place of a word that the service kept', async () => {
    const id = await idOf('project', '341304');
    await portfolio.canonical('project', id, { status: 'planning' });
    const { body } = await portfolio.native('platform_a', 'project', '341304', { active: false });
    expect(body.data.canonical).toMatchObject({ updated_fields: ['status'], data: { status: 'inactive' } });
    await portfolio.native('platform_a', 'project', '341304', { active: true });
    expect(await shown('project', id)).toBe('active');
  });

  it('a literal that is not listed reads as unknown, and stays on its platform', async () => {
    const id = await idOf('invoice', '10079');
    const { status, body } = await portfolio.native('platform_a', 'invoice', '10079', { status: 'on_hold' });
    expect(status).toBe(200);
    expect(body.data.canonical.data.status).toBe('unknown');
    expect((await portfolio.find('platform_a', 'invoice', id)).platform_data.status).toBe('on_hold');
    expect(await shown('invoice', id)).toBe('unknown');
    await portfolio.canonical('invoice', id, { due_date: '2027-03-01' });
    expect((await portfolio.find('platform_a', 'invoice', id)).platform_data.status).toBe('on_hold');
  });

  it.each([
    ['invoice', '10061', 'canceled'],
    ['invoice', '10061', 'corrective'],
    ['invoice', '10061', 'unknown'],
    ['invoice', '10061', 'Approved'],
    ['invoice', '10061', ''],
    ['invoice', '10061', true],
    ['contract', '1945803', 'Approved'],
    ['contract', '1945803', 'approved '],
    ['customer', '501004', 'blocked'],
    ['project', '341276', null],
    ['contract', '1945803', null],
  ] as const)('answers 422 to a %s (%s) that is to be %j, and writes nothing', async (type, onA, word) => {
    const id = await idOf(type, onA);
    const before = await portfolio.stored();
    const data = { status: word, ...(type === 'contract' ? { title: 'x' } : { website: undefined }) };
    expectError(await portfolio.canonical(type, id, data), 422, 'TRANSFORM_ERROR', /^data\.status: /);
    expect(await portfolio.stored()).toEqual(before);
  });

  it('puts codes in upper case on platform_b alone', async () => {
    const id = await idOf('payment', '1823502');
    const { body } = await portfolio.canonical('payment', id, { check_number: ' chk-straße-9 ' });
    expect(body.data.propagated.platform_a.data.check_number).toBe(' chk-straße-9 ');
    expect(body.data.propagated.platform_b.data.externalDocumentNumber).toBe('CHK-STRASSE-9');
    expect(body.data.canonical.data.check_number).toBe(' chk-straße-9 ');
    const native = await portfolio.native('platform_b', 'payment', '92fbc013-8f0d-4443-a376-030481c85182', {
      externalDocumentNumber: 'chk-77',
      documentNumber: ' g-77 ',
    });
    expect(native.body.data.propagated.platform_b.data).toMatchObject({
      externalDocumentNumber: 'CHK-77',
      documentNumber: 'G-77',
    });
  });
});
