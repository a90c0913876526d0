import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { IsNull, Not, Raw, type Repository } from 'typeorm';
import { WebhookSecretRow } from '../database/entities/webhook-secret.entity';
import type { CustomerTransaction } from '../database/transaction/store';

/** A sealed secret of an endpoint. */
export type SealedSecret = Readonly<
  Pick<WebhookSecretRow, 'id' | 'masterKeyId' | 'sealedKey' | 'sealedSecret'>
>;

/** The table of the secrets that endpoints sign with. */
@Injectable()
export class WebhookSecretsRepository {
  constructor(@InjectRepository(WebhookSecretRow) private readonly rows: Repository<WebhookSecretRow>) {}

  /** Stores the secret that an endpoint signs with from now on. */
  async insert(tx: CustomerTransaction, endpointId: string, secret: SealedSecret): Promise<void> {
    await this.bound(tx).insert({
      ...secret,
      customerId: tx.customerId,
      endpointId,
      madeAt: () => 'now()',
    });
  }

  /**
   * Sets the end of the secret that an endpoint signs with, and removes those that were replaced before.
   *
   * @param overlap milliseconds for which it still signs
   */
  async end(tx: CustomerTransaction, endpointId: string, overlap: number): Promise<void> {
    const { customerId } = tx;
    await this.bound(tx).delete({ customerId, endpointId, endsAt: Not(IsNull()) });
    await this.bound(tx)
      .createQueryBuilder()
      .update({ endsAt: () => `now() + :overlap * interval '1 millisecond'` })
      .where({ customerId, endpointId })
      .setParameters({ overlap })
      .execute();
  }

  /** The secrets that an endpoint signs with, the newest first. */
  inForce(tx: CustomerTransaction, endpointId: string): Promise<readonly SealedSecret[]> {
    const own = { customerId: tx.customerId, endpointId };
    return this.bound(tx).find({
      where: [
        { ...own, endsAt: IsNull() },
        { ...own, endsAt: Raw((column) => `${column} > now()`) },
      ],
      order: { endsAt: { direction: 'DESC', nulls: 'FIRST' } },
    });
  }

  private bound(tx: CustomerTransaction): Repository<WebhookSecretRow> {
    return tx.store.manager.withRepository(this.rows);
  }
}
