import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { Repository } from 'typeorm';
import type { Customer } from '../../auth/customers/customer';
import type { StoredByKind } from '../../runtime/metrics/metrics';
import { StorageUsageRow } from '../../database/entities/storage-usage.entity';
import { CustomerDeleted } from '../../database/transaction/customer-deleted';
import { UnitOfWork } from '../../database/transaction/unit-of-work';

/** A customer's storage beside its present records, in bytes as the database stores them. */
export interface StoredBytes {
  /** Former versions of records, the changes that made them, and the outcomes of changes. */
  readonly history: number;
  /** Answers kept under `Idempotency-Key`. */
  readonly answers: number;
}

/** A customer's storage as of its last count. */
export interface LastCount extends StoredBytes {
  readonly customerId: string;
  readonly countedAt: Date;
}

/** Bytes of a row beside its JSON: its other columns, its header and its index entries. */
const ROW_BYTES = 400;

/** Counts the storage of customers, and keeps the counts. */
@Injectable()
export class StorageUsageRepository {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    @InjectRepository(StorageUsageRow) private readonly rows: Repository<StorageUsageRow>,
  ) {}

  /**
   * Counts a customer's storage. It reads the sizes of values, not their contents: PostgreSQL stores a value above 2 KB
   * separately and compressed, and keeps its size in the row.
   */
  async count(customerId: string): Promise<StoredBytes> {
    const [row] = await this.unitOfWork.read<StoredBytes>(counted, [customerId, ROW_BYTES], {
      deadlines: 'bulk',
    });
    return row ?? { history: 0, answers: 0 };
  }

  /** Stores a count, unless the customer was deleted. */
  async save(customerId: string, { history, answers }: StoredBytes): Promise<void> {
    const row = { customerId, historyBytes: history, responseBytes: answers, countedAt: () => 'now()' };
    try {
      await this.unitOfWork.runFor(
        customerId,
        ({ store }) => store.manager.withRepository(this.rows).upsert(row, ['customerId']),
        { deadlines: 'bulk' },
      );
    } catch (error) {
      if (!(error instanceof CustomerDeleted)) throw error;
    }
  }

  /** The counts of customers that were counted; reads one short row of each. */
  async lastCounts(customerIds: readonly string[]): Promise<readonly LastCount[]> {
    return this.unitOfWork.read<LastCount>(
      `select customer_id as "customerId", history_bytes::float8 as history, answer_bytes::float8 as answers,
         counted_at as "countedAt"
       from storage_usage where customer_id = any ($1::uuid[])`,
      [customerIds],
      { deadlines: 'bulk' },
    );
  }

  /**
   * The storage of all customers by kind, for the metrics. Reads one short row of each customer.
   *
   * @param quotas bytes by kind; 0 for none
   */
  async byKind(quotas: Readonly<Record<Customer['kind'], number>>): Promise<readonly StoredByKind[]> {
    return this.unitOfWork.read<StoredByKind>(
      `select c.kind, sum(u.history_bytes)::float8 as history, sum(u.answer_bytes)::float8 as answers,
         (count(*) filter (where case when c.kind = 'demo' then $1::float8 else $2::float8 end
           between 1 and u.history_bytes + u.answer_bytes))::int as "overQuota"
       from customers c join storage_usage u on u.customer_id = c.id group by c.kind`,
      [quotas.demo, quotas.standard],
    );
  }
}

/** SQL for the bytes of a customer's rows in a table, with the JSON columns that may be large. */
function bytesOf(table: string, columns: readonly string[]): string {
  const sizes = columns.map((column) => `coalesce(pg_column_size(t.${column}), 0)`);
  return `(select coalesce(sum(${[...sizes, '$2::int'].join(' + ')}), 0)::float8 from ${table} t where t.customer_id = $1)`;
}

const counted = `
  select ${[
    bytesOf('record_versions', ['payload', 'accepted']),
    bytesOf('extra_versions', ['extra']),
    bytesOf('deleted_records', ['payload']),
    bytesOf('changes', ['detail']),
    bytesOf('propagations', ['updated_fields', 'outcome', 'report', 'intent', 'reason']),
    bytesOf('outbox_commands', ['changes', 'base', 'referred', 'predicted', 'recording']),
    bytesOf('outbox_decisions', ['reason']),
    bytesOf('case_reviews', ['accepted_reason']),
    bytesOf('case_notes', ['text']),
    bytesOf('statement_signoffs', ['figures', 'note', 'withdrawn_reason']),
  ].join(' + ')} as history, ${bytesOf('idempotency_keys', ['body'])} as answers`;
