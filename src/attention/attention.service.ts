import { Inject, Injectable } from '@nestjs/common';
import { UnitOfWork } from '../database/transaction/unit-of-work';
import { ENVIRONMENT, type Environment } from '../runtime/config/environment';
import { attentionKinds, waitingOf, type Waiting } from './attention';
import { findWaiting } from './attention.repository';

/** Finds what waits for a person, of all customers together. */
@Injectable()
export class AttentionService {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    @Inject(ENVIRONMENT) private readonly environment: Pick<Environment, 'syncIntervalMs' | 'publicUrl'>,
  ) {}

  /** Every kind, also those of which nothing waits. */
  look(): Promise<readonly Waiting[]> {
    const { syncIntervalMs, publicUrl } = this.environment;
    const byItself = { readings: syncIntervalMs > 0, webhooks: publicUrl !== undefined };
    return this.unitOfWork.run(
      async (store) => {
        const found: Waiting[] = [];
        for (const kind of attentionKinds) {
          found.push(waitingOf(kind, await findWaiting(store, kind, byItself)));
        }
        return found;
      },
      { deadlines: 'bulk', readOnly: true },
    );
  }
}
