import type { components, StoredEntityType } from '@app/client';
import { storedTypeOf } from '../parts/words/type-words';

type Schemas = components['schemas'];
type StatusesOf<Type extends keyof Schemas> = Schemas[Type] extends { status?: (infer Status) | null }
  ? readonly Status[]
  : never;

/** The words for the status of each type. */
export const statusesOf = {
  project: [
    'planning',
    'quote',
    'active',
    'completed',
    'inactive',
    'unknown',
  ] satisfies StatusesOf<'Project'>,
  customer: [
    'active',
    'ship_blocked',
    'invoice_blocked',
    'inactive',
    'unknown',
  ] satisfies StatusesOf<'Customer'>,
  contract: [
    'draft',
    'out_for_bid',
    'processing',
    'pending_approval',
    'approved',
    'in_progress',
    'completed',
    'closed',
    'terminated',
    'void',
    'unknown',
  ] satisfies StatusesOf<'Contract'>,
  invoice: [
    'draft',
    'in_review',
    'revise_and_resubmit',
    'pending_owner_approval',
    'approved',
    'approved_as_noted',
    'paid',
    'canceled',
    'corrective',
    'unknown',
  ] satisfies StatusesOf<'Invoice'>,
  payment: [
    'pending',
    'unpaid',
    'in_review',
    'approved',
    'processing',
    'paid',
    'rejected',
    'failed',
    'unknown',
  ] satisfies StatusesOf<'Payment'>,
} as const satisfies Record<StoredEntityType, readonly string[]>;

/** What is to be found. */
export interface FindQuery {
  /** Undefined until the person types a text. */
  readonly q: string | undefined;
  readonly type: StoredEntityType;
  readonly status: string | undefined;
}

/** The search that an address asks for. A status of another type is left out, since it would find nothing. */
export function findQueryOf(members: URLSearchParams): FindQuery {
  const q = members.get('q')?.trim();
  const type = storedTypeOf(members.get('type')) ?? 'invoice';
  const statuses: readonly string[] = statusesOf[type];
  return {
    q: q === '' ? undefined : q,
    type,
    status: statuses.find((status) => status === members.get('status')),
  };
}
