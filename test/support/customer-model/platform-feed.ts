import { isJsonObject, type JsonObject, type StoredEntityType } from '@app/mapper';
import type { SourceRecord } from '../../../src/platforms/connector';
import { portfolioRecords } from '../platforms/far-platform';
import { MovingPlatform } from '../platforms/moving-platform';
import type { Platform } from '../customers/portfolio';
import type { Edit } from './commands';
import { ownPlaces } from './own-fields';

/** The sample portfolio on a platform, which users of the platform edit now and then. */
export class PlatformFeed {
  readonly connector: MovingPlatform;
  private readonly payments: SourceRecord[];
  private readonly gone: SourceRecord[] = [];
  private edits = 0;

  constructor(private readonly platform: Platform) {
    const records = portfolioRecords(platform);
    this.connector = new MovingPlatform(records);
    this.payments = records.filter(({ entityType }) => entityType === 'payment');
  }

  /**
   * Edits a record as a user of the platform does. Only payments are edited, so no record refers to a removed one.
   */
  edit({ pick, what }: Edit): void {
    this.edits += 1;
    if (what === 'return') {
      const [back] = this.gone.splice(0, 1);
      if (back !== undefined) this.put(back);
      return;
    }
    const place = pick % Math.max(1, this.payments.length);
    const one = this.payments[place];
    if (one === undefined) return;
    if (what === 'twin') this.put({ ...one, payload: { ...one.payload, id: this.newId() } });
    else if (what === 'remove') {
      this.payments.splice(place, 1);
      this.gone.push(one);
      this.connector.remove('payment', idOf(one.payload));
    } else {
      const edited = { ...one, payload: { ...one.payload, ...this.changed(what) } };
      this.payments.splice(place, 1);
      this.put(edited);
    }
  }

  private put(record: SourceRecord): void {
    this.payments.push(record);
    this.connector.put(record);
  }

  private changed(what: 'text' | 'amount' | 'own'): JsonObject {
    const text = `edit ${this.edits}`;
    if (what === 'own') return { [ownPlaces('payment', 0)[this.platform].path]: text };
    if (what === 'text') return this.platform === 'platform_a' ? { notes: text } : { comment: text };
    return { amount: this.platform === 'platform_a' ? `${this.edits}.25` : -this.edits };
  }

  private newId(): number | string {
    return this.platform === 'platform_a'
      ? 9_000_000 + this.edits
      : `9d4b7c3e-7b6e-4e11-8df1-${String(this.edits).padStart(12, '0')}`;
  }
}

/** The types that clients change. */
export const changedTypes: readonly StoredEntityType[] = ['payment', 'invoice'];

function idOf(payload: JsonObject): string {
  const id = isJsonObject(payload) ? payload.id : undefined;
  if (typeof id !== 'string' && typeof id !== 'number') throw new Error('A record has no ID');
  return String(id);
}
