import { ControlError, type RunningPlatformA, type RunningPlatformB } from '@app/simulators';
import type { JsonObject } from '@app/mapper';
import type { Platform } from '../../customers/portfolio';
import { editable, recordsToChange } from './records';

const ORDER = { table: 'salesOrders', id: recordsToChange.contract.ids.platform_b };

/** A user who works with the platforms directly while changes are sent. Each value that the user writes is unique. */
export class VendorConsole {
  /** The number of requests that the platform had received when a value was written, by the number of the value. */
  readonly written = new Map<number, number>();
  /** Whether the user deleted records or posted them. */
  hasRemoved = false;
  private edits = 0;
  private readonly locked = new Set<'payment' | 'customer'>();
  private released = false;

  constructor(
    private readonly a: RunningPlatformA,
    private readonly b: RunningPlatformB,
  ) {}

  edit(platform: Platform, what: 'payment' | 'customer'): void {
    this.edits += 1;
    const number = this.edits;
    const { table, fields } = editable[what][platform];
    const name = fields[number % fields.length] ?? '';
    const value = /site/.test(name)
      ? `https://theirs-${number}.example`
      : /mail/.test(name)
        ? `theirs-${number}@example.com`
        : `THEIRS-${number}`;
    const id = recordsToChange[what].ids[platform];
    const fieldsSet = { [name]: value };
    const { log } = platform === 'platform_a' ? this.a.control : this.b.control;
    this.written.set(number, log.list().length);
    if (platform === 'platform_a') this.tryOnA('change_record', { kind: table, id, set: fieldsSet });
    else this.tryOnB('update', { table, id, fields: fieldsSet });
  }

  /** Edits the record that a request names; the payment if the request names no editable record. */
  editAt(platform: Platform, path: string): void {
    this.edit(platform, path.includes(recordsToChange.customer.ids[platform]) ? 'customer' : 'payment');
  }

  /** Deletes the second payment permanently. */
  remove(platform: Platform): void {
    this.hasRemoved = true;
    const id = recordsToChange['other payment'].ids[platform];
    if (platform === 'platform_a') this.tryOnA('delete_record', { kind: 'contract_payments', id });
    else this.tryOnB('remove', { table: 'customerPayments', id });
  }

  /** Posts the journal of platform_b, whichever client wrote its lines. The lines disappear from the API. */
  post(): void {
    const [line] = this.b.control.records('customerPayments');
    if (line === undefined) return;
    this.hasRemoved = true;
    this.tryOnB('post', { table: 'customerPaymentJournals', id: line['journalId'] ?? '' });
  }

  /** Locks a record, or releases a document. The second call undoes that. */
  lock(platform: Platform, what: 'payment' | 'customer'): void {
    if (platform === 'platform_b') {
      this.released = !this.released;
      this.tryOnB(this.released ? 'release' : 'reopen', ORDER);
      return;
    }
    const locked = !this.locked.has(what);
    if (locked) this.locked.add(what);
    else this.locked.delete(what);
    const kind = editable[what].platform_a.table;
    this.tryOnA('lock_record', { kind, id: recordsToChange[what].ids.platform_a, locked });
  }

  /** Ends every lock. */
  unlock(): void {
    for (const what of [...this.locked]) this.lock('platform_a', what);
    if (this.released) this.lock('platform_b', 'payment');
  }

  touch(): void {
    this.tryOnB('touch', { table: 'customerPayments', id: recordsToChange.payment.ids.platform_b });
  }

  endTokens(platform: Platform): void {
    (platform === 'platform_a' ? this.a : this.b).control.edit('expire_tokens');
  }

  private tryOnA(edit: string, input: JsonObject): void {
    unlessGone(() => this.a.control.edit(edit, input));
  }

  private tryOnB(edit: string, input: JsonObject): void {
    unlessGone(() => this.b.control.edit(edit, input));
  }
}

// A record that was deleted before cannot be edited.
function unlessGone(work: () => unknown): void {
  try {
    work();
  } catch (error) {
    if (!(error instanceof ControlError)) throw error;
  }
}
