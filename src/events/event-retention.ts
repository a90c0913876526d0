import { Injectable } from '@nestjs/common';
import {
  customersWithOldEvents,
  deleteOldEvents,
  hasUnnumbered,
  numberEvents,
} from '../records/events/events.repository';
import { Retention } from '../runtime/background/retention';

/** Deletes events that are older than history is kept. */
@Injectable()
export class EventRetention extends Retention {
  protected readonly name = 'event_retention';
  protected readonly failure = 'Old events could not be removed';
  protected readonly customers = customersWithOldEvents;

  /** Events without numbers get them first, so that a reader's cursor shows which events were removed after it. */
  protected async remove(customerId: string, before: Date, stop: AbortSignal): Promise<void> {
    let numbered = 1;
    while (numbered > 0 && !stop.aborted) {
      numbered = await this.unitOfWork.runFor(
        customerId,
        async (tx) => ((await hasUnnumbered(tx, before)) ? numberEvents(tx) : 0),
        { deadlines: 'bulk' },
      );
    }
    await this.removeInParts(customerId, before, stop, [deleteOldEvents]);
  }
}
