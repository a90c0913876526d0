import { Injectable } from '@nestjs/common';
import { CustomersService } from '../../auth/customers/customers.service';
import type { StreamedText } from '../response/handler-results';
import { csvFile, type CsvTable } from './csv-file';

/** A query whose response may be a file. */
export interface FileQuery {
  /** Whether the file begins with the lines about the request; true by default. */
  readonly head?: boolean;
  /** `limit` and `cursor` only concern pages. A file has all rows. */
  readonly limit?: number;
  readonly cursor?: string;
}

/** A request whose response is a file. */
export interface FileRequest {
  readonly customerId: string;
  /** Its members that are texts are the filters that the file's head names. */
  readonly query: FileQuery;
  readonly requestId: string;
}

/** Creates CSV files as responses. The head of a file names the customer, the filters and the request. */
@Injectable()
export class CsvFiles {
  constructor(private readonly customers: CustomersService) {}

  /**
   * A table as a file. If the customer were deleted while the file is read, the file would lack rows and look complete.
   * Therefore this method looks the customer up after the caller has read its data, and again after the last row. If the
   * customer is gone only then, the file is cut off.
   *
   * @param name of the file, without the day and the extension
   * @param asOf ISO 8601; its day is part of the file's name
   * @throws CustomerDeleted when the customer was deleted meanwhile
   */
  async file(
    { customerId, query: { head, limit: _, cursor: __, ...filters }, requestId }: FileRequest,
    table: CsvTable,
    { name, asOf }: { readonly name: string; readonly asOf: string },
  ): Promise<StreamedText> {
    const customer = await this.customers.profile(customerId);
    const texts = Object.entries<unknown>(filters).flatMap(([key, value]): [string, string][] =>
      typeof value === 'string' ? [[key, value]] : [],
    );
    const fileHead = { customer, requestId, filters: Object.fromEntries(texts) };
    const rows = this.whole(customerId, table.rows);
    return csvFile(head === false ? undefined : fileHead, { ...table, rows }, name, asOf);
  }

  private async *whole(customerId: string, rows: CsvTable['rows']): AsyncGenerator<string, void, undefined> {
    yield* rows;
    await this.customers.profile(customerId);
  }
}
