import { Inject, Injectable } from '@nestjs/common';
import {
  MappingError,
  previewSteps,
  readMapperContext,
  type Preview,
  type PreviewRequest,
} from '@app/mapper';
import type { Customer } from '../auth/customers/customer';
import { ENVIRONMENT, type Environment } from '../runtime/config/environment';
import { Clock } from '../runtime/clock/clock';
import { ApiError } from '../common/errors/api-error';
import { EventLoopScheduler } from '../runtime/fairness/event-loop-scheduler';
import { OwnFieldsLookup } from '../records/terms/own-fields-lookup';
import type { TransformResult } from './transform.response';
import type { TransformDto } from './transform.dto';

/** Version of the canonical model, in every answer. */
export const CANONICAL_VERSION = '1.0';

/** Translates a record without storing anything. It looks up nothing but the own fields of a customer that has some. */
@Injectable()
export class TransformService {
  constructor(
    @Inject(ENVIRONMENT) private readonly environment: Environment,
    private readonly clock: Clock,
    private readonly eventLoop: EventLoopScheduler,
    @Inject(OwnFieldsLookup) private readonly ownFields: Pick<OwnFieldsLookup, 'find'>,
  ) {}

  /**
   * Previews a translation.
   *
   * @throws ApiError TRANSFORM_ERROR naming the fields of `data` or `context` that do not fit
   */
  async transform(customer: Customer, request: TransformDto, requestId: string): Promise<TransformResult> {
    const { source, target, entity_type, data, context = {} } = request;
    const own = customer.hasOwnFields ? await this.ownFields.find(customer.id) : undefined;
    const preview = await this.previewed(customer.id, () => ({
      customerId: customer.id,
      source,
      target,
      entityType: entity_type,
      payload: data,
      context: readMapperContext(context),
      defaultCurrency: this.environment.defaultCurrency,
      own,
    }));
    return {
      canonical: preview.canonical,
      data: preview.payload,
      metadata: {
        source,
        target,
        entity_type,
        canonical_version: CANONICAL_VERSION,
        transformed_at: this.clock.now().toISOString(),
        request_id: requestId,
        // What is absent is not written.
        references: preview.references,
        conversion: preview.conversion,
        report: preview.report,
      },
    };
  }

  private async previewed(customerId: string, requested: () => PreviewRequest): Promise<Preview> {
    try {
      const steps = previewSteps(requested());
      for (;;) {
        const step = steps.next();
        // Behind the last step as well, since the answer is made into text then.
        const turn = this.eventLoop.waitToContinue(customerId);
        if (turn !== undefined) await turn;
        if (step.done) return step.value;
      }
    } catch (error) {
      if (!(error instanceof MappingError)) throw error;
      throw new ApiError('TRANSFORM_ERROR', error.message, { cause: error });
    }
  }
}
