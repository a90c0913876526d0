import { Inject, Injectable } from '@nestjs/common';
import { UnitOfWork } from '../database/transaction/unit-of-work';
import { Admission } from '../runtime/fairness/admission';
import { hashOf, hasTokenForm } from './address';
import { findReceiver, type Receiver } from './subscriptions.repository';

/** Maximum number of concurrent lookups. Client addresses take turns. */
const AT_ONCE = 2;

/** How long a receiver is cached, in milliseconds. A removed receiver can request readings for this time at most. */
const REMEMBERED_MS = 5_000;

/** Maximum number of cached receivers; less than 4 MB. */
const MOST = 10_000;

/** Finds the receiver of an address. A storm of calls to one address costs one lookup. */
@Injectable()
export class ReceiverLookup {
  private readonly known = new Map<string, { readonly receiver: Receiver; readonly until: number }>();
  private readonly underWay = new Map<string, Promise<Receiver | undefined>>();
  private readonly turns = new Admission(AT_ONCE);

  constructor(@Inject(UnitOfWork) private readonly unitOfWork: Pick<UnitOfWork, 'run'>) {}

  /**
   * The receiver at an address; undefined if there is none.
   *
   * @param address the random part
   * @param client the client's address
   * @throws DatabaseUnavailable, Overloaded
   */
  async find(address: string, client: string): Promise<Receiver | undefined> {
    if (!hasTokenForm(address)) return undefined;
    const hash = hashOf(address);
    const known = this.known.get(hash);
    if (known !== undefined && known.until > performance.now()) return known.receiver;
    const underWay = this.underWay.get(hash);
    if (underWay !== undefined) return underWay;
    const found = this.lookUp(hash, client).finally(() => this.underWay.delete(hash));
    this.underWay.set(hash, found);
    return found;
  }

  /** Like {@link find}, without the cache. Whether a handshake is allowed changes with every renewal. */
  async findNow(address: string, client: string): Promise<Receiver | undefined> {
    return hasTokenForm(address) ? this.lookUp(hashOf(address), client) : undefined;
  }

  private async lookUp(hash: string, client: string): Promise<Receiver | undefined> {
    const patient = new AbortController().signal;
    const leave = await this.turns.acquireConnection({ customerId: client, kind: 'short' }, patient);
    try {
      const receiver = await this.unitOfWork.run((store) => findReceiver(store, hash), { readOnly: true });
      this.known.delete(hash);
      if (receiver !== undefined) this.remember(hash, receiver);
      return receiver;
    } finally {
      leave();
    }
  }

  private remember(hash: string, receiver: Receiver): void {
    this.known.set(hash, { receiver, until: performance.now() + REMEMBERED_MS });
    if (this.known.size <= MOST) return;
    for (const oldest of this.known.keys()) {
      this.known.delete(oldest);
      return;
    }
  }
}
