import { Injectable } from '@nestjs/common';
import { CustomersService } from '../../auth/customers/customers.service';
import type { FileHead } from './csv-file';

/** A query whose answer may be a file. */
export interface FileQuery {
  readonly head?: boolean;
  /** Of a page alone: a file has all of them. */
  readonly limit?: number;
  readonly cursor?: string;
}

/** The heads of files: who asked for them, and for what. */
@Injectable()
export class FileHeads {
  constructor(private readonly customers: CustomersService) {}

  /**
   * @param query its texts are the filters of the file
   * @returns undefined if the query wants a file without its head
   * @throws CustomerDeleted when the customer was deleted meanwhile
   */
  async of(
    customerId: string,
    { head, limit: _, cursor: __, ...filters }: FileQuery,
    requestId: string,
  ): Promise<FileHead | undefined> {
    if (head === false) return undefined;
    const customer = await this.customers.profile(customerId);
    const texts = Object.entries<unknown>(filters).flatMap(([name, value]): [string, string][] =>
      typeof value === 'string' ? [[name, value]] : [],
    );
    return { customer, requestId, filters: Object.fromEntries(texts) };
  }
}
