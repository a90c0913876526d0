import { stringifyJson } from '@app/mapper';
import type { WriteCommand } from '../../../src/platforms/connector';
import {
  latchUntilClose,
  startFarService,
  type FarCustomer,
  type FarService,
} from '../../support/platforms/far-customer';
import { takeAfter, type Reaction } from '../../support/platforms/far-platform';

jest.setTimeout(120_000);

/** On platform_b alone: a contract, its project and its customer. */
const PROJECT = '7c6eed3d-9acd-41c1-a5b6-293950498ddd';
const CUSTOMER = 'a54b87d9-3385-49ec-b8d7-26aaaedc636b';
const CONTRACT = '453e9f7a-fe45-4074-b0fb-46a31126b7d7';

/** Also there alone; its contract is on both. */
const INVOICE = 'e385ddc8-5cdc-4711-bdc0-7c9b6ee5873c';

describe('POST /propagate of a record that refers to one still to be created', () => {
  let service: FarService;
  let customer: FarCustomer;
  beforeAll(async () => {
    service = await startFarService();
  });
  beforeEach(async () => {
    service.waitFor(0);
    customer = await service.open('platform_a');
  });
  afterAll(() => service.close());

  const native = async (type: 'project' | 'customer' | 'contract' | 'invoice', id: string, data: object) => {
    const { status, body } = await customer.creating.native('platform_b', type, id, data);
    expect(status).toBe(200);
    return body.data;
  };

  /** Asks for the three records on platform_a; the first two are not answered before the latch is open. */
  async function askForAll(reaction: Reaction) {
    customer.far.platform_a.reactions.push(reaction, reaction);
    const project = await native('project', PROJECT, { displayName: 'Yas Tower' });
    const vendor = await native('customer', CUSTOMER, { phoneNumber: '+971 2 555 0101' });
    await customer.until(() => customer.far.platform_a.submitted.length === 2);
    const contract = await native('contract', CONTRACT, { requestedDeliveryDate: '2027-05-05' });
    return { project, vendor, contract };
  }

  const sent = (type: string): WriteCommand[] =>
    customer.far.platform_a.submitted.filter(({ entityType }) => entityType === type);
  const valueOf = (command: WriteCommand | undefined, path: string) =>
    command?.changes.find((change) => change.path.join('.') === path)?.value;

  it('waits, says for what, and then names the record by its native ID', async () => {
    const { opened, open } = latchUntilClose();
    const { project, contract } = await askForAll(async (command, platform) => {
      await opened;
      return { status: 'applied', payload: platform.take(command) };
    });
    expect(contract.propagated.platform_a).toEqual({
      status: 'pending',
      created: true,
      reason: expect.stringMatching(
        /^it waits for the (project proj|customer cust)_\w+ to be created on platform_a$/,
      ),
    });
    expect(contract.references.unresolved).toContainEqual(
      expect.objectContaining({ field: 'project_id', platform: 'platform_a' }),
    );
    expect(sent('contract')).toEqual([]);

    open();
    expect(new Set(await customer.decided())).toEqual(new Set(['applied']));
    const [created] = await customer.sql<{ id: string }>(
      `select platform_id as id from platform_records
       where customer_id = $1 and canonical_id = $2 and platform = 'platform_a'`,
      [customer.customerId, project.canonical.id],
    );
    const [command] = sent('contract');
    expect(stringifyJson(valueOf(command, 'project.id'))).toBe(created?.id);
    expect(command?.referred).toMatchObject({ project_id: { name: 'Yas Tower' } });
    const after = await customer.propagation(contract.propagation_id);
    expect(after.propagated.platform_a).toMatchObject({ status: 'applied', platform_id: expect.any(String) });
    expect(after.references.resolved).toContainEqual(
      expect.objectContaining({ field: 'project_id', platform_id: created?.id, injected: true }),
    );
    const [onA] = (await customer.list('platform_a', 'contract')).filter(
      ({ canonical_id: id }) => id === contract.canonical.id,
    );
    const [onB] = (await customer.list('platform_b', 'contract')).filter(({ id }) => id === CONTRACT);
    expect(onA?.data).toEqual(onB?.data);
    expect(onA?.data).toMatchObject({ project_id: project.canonical.id });
  });

  it.each<[string, Reaction, string]>([
    ['rejected', { reject: 'the number is taken' }, 'rejected'],
    [
      'held',
      (command, platform) => {
        const members = Object.entries(platform.take(command)).filter(([name]) => name !== 'id');
        return Promise.resolve({ status: 'applied', payload: Object.fromEntries(members) });
      },
      'held',
    ],
  ])('is skipped when that one is %s', async (_how, reaction, status) => {
    const { opened, open } = latchUntilClose();
    const { project, contract } = await askForAll(async (command, platform) => {
      await opened;
      if (command.entityType !== 'project') return { status: 'applied', payload: platform.take(command) };
      if (typeof reaction === 'function') return reaction(command, platform);
      return { status: 'rejected', reason: 'the number is taken' };
    });
    open();
    await customer.decided();
    expect((await customer.propagation(project.propagation_id)).propagated.platform_a.status).toBe(status);
    const after = await customer.propagation(contract.propagation_id);
    expect(after.propagated.platform_a).toEqual({
      status: 'skipped',
      reason: `the project ${project.canonical.id} was not created on platform_a`,
    });
    expect(after.propagated.platform_b.status).toBe('applied');
    expect(sent('contract')).toEqual([]);
    // It can be made again once the parent is there.
    const again = await native('project', PROJECT, { displayName: 'Yas Tower II' });
    await customer.decided();
    if (status === 'rejected') {
      expect((await customer.propagation(again.propagation_id)).propagated.platform_a.status).toBe('applied');
      const third = await native('contract', CONTRACT, { requestedDeliveryDate: '2027-06-06' });
      await customer.decided();
      expect((await customer.propagation(third.propagation_id)).propagated.platform_a.status).toBe('applied');
    }
  });

  it('waits also where the record itself is there already', async () => {
    // A payment that both have is put on the invoice that platform_a is about to get.
    const { opened, open } = latchUntilClose();
    customer.far.platform_a.reactions.push(takeAfter(opened));
    const invoice = await native('invoice', INVOICE, { dueDate: '2027-05-05' });
    const { canonical_id: payment } = await customer.find('platform_a', 'payment', '1823456');
    const { body } = await customer.canonical('payment', payment, { invoice_id: invoice.canonical.id });
    expect(body.data.propagated.platform_a).toMatchObject({
      status: 'pending',
      reason: `it waits for the invoice ${invoice.canonical.id} to be created on platform_a`,
    });
    expect(body.data.canonical.data.invoice_id).toBe(invoice.canonical.id);
    open();
    await customer.decided();
    const onA = await customer.find('platform_a', 'payment', payment);
    expect(onA.data).toMatchObject({ invoice_id: invoice.canonical.id, invoice_number: 'INV-2026-0078' });
    const created = await customer.find('platform_a', 'invoice', invoice.canonical.id);
    expect(String(onA.platform_data.requisition_id)).toBe(created.id);
    expect((await customer.propagation(body.data.propagation_id)).propagated).toMatchObject({
      platform_a: { status: 'applied' },
      platform_b: { status: 'applied' },
    });
  });
});
