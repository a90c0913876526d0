/**
 * The walk of the README: two platforms, one payment, a change that reaches both.
 *
 * Run it against a service that is up: `npm run example`, or with another address in BASE_URL.
 */
import { ApiError, TranslationClient } from '@app/client';

/** Walks through the API and prints what it sees. */
export async function walk(baseUrl: string, print: (line: string) => void): Promise<void> {
  const visitor = new TranslationClient({ baseUrl });
  const { api_key } = await visitor.openDemoSession();
  const client = visitor.withKey(api_key);
  try {
    for (const platform of ['platform_a', 'platform_b'] as const) {
      const { entities } = await client.connect(platform);
      print(`${platform}: ${entities.payments} payments, ${entities.contracts} contracts`);
    }

    // One payment of the real world is one object, on whichever platform one looks.
    const payments = await client.listObjects('platform_a', 'payment');
    const payment = payments.find(({ mappings }) => mappings.length === 2);
    if (payment === undefined) throw new Error('No payment is on both platforms');
    print(
      `${payment.canonical_id} is ${payment.mappings.map((one) => `${one.platform} ${one.platform_id}`).join(' and ')}`,
    );

    // A change in the terms of one platform reaches the other in its own terms and currency.
    const changed = await client.propagate({
      format: 'platform',
      platform: 'platform_a',
      platform_id: payment.id,
      entity_type: 'payment',
      data: { amount: '1650000.00' },
    });
    const { platform_b } = changed.propagated;
    print(`changed ${changed.canonical.updated_fields.join(', ')}; platform_b: ${platform_b?.status}`);
    if (platform_b?.conversion) {
      const { from, to, rate } = platform_b.conversion;
      print(`converted from ${from} to ${to} at ${rate}`);
    }

    // A preview stores nothing.
    const preview = await client.transform({
      source: 'platform_b',
      target: 'platform_a',
      entity_type: 'time_entry',
      data: { date: '2026-02-01', quantity: 7.5 },
    });
    print(`a time entry would be ${JSON.stringify(preview.data)}`);

    // An error names its type for programs, and the request ID to ask about.
    try {
      await client.propagate({
        format: 'platform',
        platform: 'platform_a',
        platform_id: 'none',
        entity_type: 'payment',
        data: {},
      });
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      print(`refused: ${error.type}, request ${error.requestId}`);
    }
  } finally {
    await client.closeDemoSession();
    print('the session is gone');
  }
}

if (require.main === module) {
  walk(process.env['BASE_URL'] ?? 'http://localhost:3000', console.log).catch((error: unknown) => {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  });
}
