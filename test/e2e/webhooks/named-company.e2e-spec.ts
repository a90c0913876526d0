import { startWebhookService, type WebhookService } from '../../support/live/webhook-service';

jest.setTimeout(60_000);

describe('webhooks of a company of platform_b that is given by its name', () => {
  let service: WebhookService;
  beforeEach(async () => {
    service = await startWebhookService("D'Arcy & Söhne (Bau) 100%");
  });
  afterEach(async () => {
    const { b } = service;
    await service.close();
    expect(b.control.defects).toEqual([]);
  });

  it('are made, tell of changes, are renewed and found again', async () => {
    const customer = await service.open('platform_b');
    const rows = () =>
      service.stored.query<{ topic: string; address_hash: string }>(
        `select topic, address_hash from webhook_subscriptions where customer_id = $1 and is_confirmed order by topic`,
        [customer.customerId],
      );
    await service.keep();
    const made = await rows();
    expect(made.map(({ topic }) => topic)).toEqual(['customers', 'salesInvoices', 'salesOrders']);
    const [first] = service.b.control.records('customers');
    const where = { table: 'customers', field: 'number', value: first?.['number'] ?? null };
    service.b.control.edit('update', { ...where, fields: { displayName: 'Renamed' } });
    await service.b.control.flushWebhooks();
    await service.until(() => service.isRequested(customer, 'platform_b'));
    await service.makeDue();
    await service.keep();
    expect(await rows()).toEqual(made);
  });
});
