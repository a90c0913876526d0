import { Injectable } from '@nestjs/common';
import { CustomersService } from '../../auth/customers/customers.service';
import type { StreamedText } from '../response/handler-results';
import { csvFile, type CsvTable } from './csv-file';

/** A query whose answer may be a file. */
export interface FileQuery {
  readonly head?: boolean;
  /** Of a page alone: a file has all of them. */
  readonly limit?: number;
  readonly cursor?: string;
}

/** A request whose answer is a file. */
export interface FileRequest {
  readonly customerId: string;
  /** Its texts are the filters of the file. Without `head` the file is a plain rectangle. */
  readonly query: FileQuery;
  readonly requestId: string;
}

/** Files of customers, as responses: their heads say who asked for them, and for what. */
@Injectable()
export class CsvFiles {
  constructor(private readonly customers: CustomersService) {}

  /**
   * A table as a file. The file of a customer who is deleted meanwhile would lack rows and read like a whole one, so the
   * customer is looked for behind what the caller has read, and again behind the last row: that file is cut off.
   *
   * @param name without the day and the extension
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
