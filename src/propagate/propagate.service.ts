import { Injectable } from '@nestjs/common';
import { platformNames } from '@app/mapper';
import type { Customer } from '../auth/customer';
import { LOCK_NOT_AVAILABLE, sqlStateOf } from '../database/database-errors';
import { UnitOfWork } from '../database/unit-of-work';
import { ApiError } from '../errors/api-error';
import { Metrics } from '../metrics/metrics';
import { Connectors } from '../connectors/registry';
import { answerOf } from './answer';
import { readChange, type Change } from './change';
import { applyPlans, planEverywhere } from './everywhere';
import { withInvoiceNumber } from './invoice-number';
import type { PropagateResult } from './propagate.answer';
import type { PropagateDto } from './propagate.dto';
import { savePropagation, saveRecords } from './propagations.repository';
import { loadReferred } from './referred-objects';
import { loadScene } from './scene';
import { readWanted } from './wanted';

/** Writes a change through the canonical object to every connected platform. */
@Injectable()
export class PropagateService {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly connectors: Connectors,
    private readonly metrics: Metrics,
  ) {}

  /**
   * Applies a change. The canonical object, the platforms' records and the account of what happened are stored in one
   * transaction, or nothing is. Two changes of one object follow one another.
   *
   * @throws ApiError 404 when there is no such object; 400, 409 or 422 for a change that cannot be made; 409 also while a
   *   connect or another change keeps the object for long
   */
  async propagate(customer: Customer, body: PropagateDto, requestId: string): Promise<PropagateResult> {
    try {
      const result = await this.apply(customer, readChange(body), requestId);
      for (const platform of platformNames) {
        const outcome = result.propagated[platform]?.status;
        if (outcome !== undefined) this.metrics.countPropagation(platform, body.entity_type, outcome);
      }
      return result;
    } catch (error) {
      this.metrics.countPropagation('none', body.entity_type, 'failed');
      if (sqlStateOf(error) !== LOCK_NOT_AVAILABLE) throw error;
      throw new ApiError(
        'CONFLICT_ERROR',
        'Other work on these records is under way; try again when it is done',
        { cause: error },
      );
    }
  }

  private apply(customer: Customer, change: Change, requestId: string): Promise<PropagateResult> {
    return this.unitOfWork.run(async (store) => {
      const scene = await loadScene(store, customer.id, change);
      const asked = await readWanted(store, customer.id, scene, change);
      const around = await loadReferred(store, customer.id, scene, asked);
      const { wanted, referred } = withInvoiceNumber(scene, asked, around);

      const plans = await planEverywhere(store, customer.id, scene, wanted, referred);
      const applied = await applyPlans(store, customer.id, scene, wanted, plans, referred, this.connectors);
      if (applied.changesAnything) {
        await saveRecords(store, customer.id, scene.object.id, applied.records);
        await savePropagation(store, customer.id, scene.object.id, applied.extra, {
          entityType: change.entityType,
          requestId,
          updatedFields: applied.updatedFields,
          outcome: applied.account,
        });
      }
      return answerOf(scene, applied, referred);
    });
  }
}
