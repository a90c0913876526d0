import { Injectable } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import type { CustomerTransaction } from '../database/transaction/store';
import { newEnvelope, openText, type SealedPlace } from '../platforms/credentials/envelope';
import { MasterKeys } from '../platforms/credentials/master-keys';
import { newSecret } from './delivery/signature';
import { DeliveryTimes } from './delivery/delivery-times';
import { WebhookSecretsRepository } from './webhook-secrets.repository';

const NAME = 'secret';

/** The secrets that endpoints sign with, sealed at rest. */
@Injectable()
export class EndpointSecrets {
  constructor(
    private readonly keys: MasterKeys,
    private readonly times: DeliveryTimes,
    private readonly stored: WebhookSecretsRepository,
  ) {}

  /**
   * Gives an endpoint a new secret. The one before signs beside it for the time of the overlap, and no longer.
   *
   * @returns the secret, to be shown once
   * @throws ApiError CONFLICT_ERROR when the service has no keys to seal it with
   */
  async renew(tx: CustomerTransaction, endpointId: string): Promise<string> {
    const secret = newSecret();
    const id = randomUUID();
    const envelope = newEnvelope(this.keys.first, placeOf(tx.customerId, id));
    await this.stored.end(tx, endpointId, this.times.overlap);
    await this.stored.insert(tx, endpointId, {
      id,
      ...envelope.key,
      sealedSecret: envelope.seal(NAME, secret),
    });
    return secret;
  }

  /** The secrets that an endpoint signs with now, the newest first. @throws MissingMasterKey, SealBroken */
  async inForce(tx: CustomerTransaction, endpointId: string): Promise<readonly string[]> {
    const sealed = await this.stored.inForce(tx, endpointId);
    return sealed.map((one) =>
      openText(this.keys, placeOf(tx.customerId, one.id), one, NAME, one.sealedSecret),
    );
  }
}

function placeOf(customerId: string, row: string): SealedPlace {
  return { table: 'webhook_secrets', customerId, row };
}
