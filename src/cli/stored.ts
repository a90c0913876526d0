import type { KnownStorage } from '../records/storage-quota/storage-quota';

/** A customer's storage beside its present records, as listings show it. */
export interface StoredListing {
  /** Bytes; null for a customer that was never counted. */
  readonly history_bytes: number | null;
  /** Bytes of answers kept under `Idempotency-Key`; null for a customer that was never counted. */
  readonly kept_answers_bytes: number | null;
  /** Bytes that both may take together; null for no quota. */
  readonly quota_bytes: number | null;
  /** The time of the count; null before the first. */
  readonly counted_at: string | null;
}

export function storedListing(known: KnownStorage | undefined): StoredListing {
  const counted = known?.counted;
  return {
    history_bytes: counted?.history ?? null,
    kept_answers_bytes: counted?.answers ?? null,
    quota_bytes: known?.quota ?? null,
    counted_at: counted?.countedAt.toISOString() ?? null,
  };
}
