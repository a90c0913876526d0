import { Injectable } from '@nestjs/common';
import type { PlatformName, StoredEntityType } from '@app/mapper';
import type { Customer } from '../auth/customer';
import { UnitOfWork } from '../database/unit-of-work';
import { StreamedJson } from '../http/streamed-json';
import { listPage, type ListingPosition } from '../records/stored-objects';
import { objectRecordText } from './object-record';

const RECORDS_PER_PAGE = 200;

/** Lists a platform's records with the canonical objects they stand for. */
@Injectable()
export class ObjectsService {
  constructor(private readonly unitOfWork: UnitOfWork) {}

  /**
   * All records of one type on one platform, ordered by native ID; none for a platform that is not connected. Written
   * page by page out of one snapshot, so that the listing is consistent and never held whole.
   */
  list(customer: Customer, platform: PlatformName, entityType: StoredEntityType): StreamedJson {
    return StreamedJson.written((write) =>
      this.unitOfWork.run(
        async (store) => {
          let separator = '[';
          let position: ListingPosition | undefined;
          do {
            const page = await listPage(store, customer.id, platform, entityType, position, RECORDS_PER_PAGE);
            for (const record of page.records) {
              await write(separator + objectRecordText(platform, record));
              separator = ',';
            }
            position = page.next;
          } while (position !== undefined);
          await write(separator === '[' ? '[]' : ']');
        },
        { patience: 'stream', isolation: 'REPEATABLE READ', readOnly: true },
      ),
    );
  }
}
