import { strictEqual } from 'node:assert';
import { wireOf, type Call } from '../harness/load';
import type { BenchCustomer } from './customer';

/** The change with a number, of one payment: another amount and another note, on both platforms. */
export function propagateCall({ key }: BenchCustomer, id: number, number: number): Call {
  const body = JSON.stringify({
    format: 'platform',
    platform: 'platform_a',
    platform_id: String(id),
    entity_type: 'payment',
    data: { amount: `${1000 + (number % 9000)}.25`, notes: `Change ${number}` },
  });
  return { wire: wireOf('POST', '/api/v1/propagate', { key, body }), check };
}

interface Propagated {
  readonly data: { readonly propagated: Readonly<Record<string, { readonly status: string } | undefined>> };
}

function check({ body }: { readonly body: Buffer | undefined }): void {
  const { data } = JSON.parse(body?.toString() ?? '') as Propagated; // As the API describes it.
  strictEqual(data.propagated['platform_a']?.status, 'applied');
  strictEqual(data.propagated['platform_b']?.status, 'applied');
}
