import type { ObjectLiteral, Repository } from 'typeorm';

/** The number of rows of each customer. Customers without rows are left out. Reads across customers. */
export async function countsByCustomer<Row extends ObjectLiteral & { customerId: string }>(
  rows: Repository<Row>,
  where: ObjectLiteral | ObjectLiteral[] = {},
): Promise<ReadonlyMap<string, number>> {
  const counts = await rows
    .createQueryBuilder('row')
    .select('row.customerId', 'id')
    .addSelect('count(*)::int', 'count')
    .where(where)
    .groupBy('row.customerId')
    .getRawMany<{ id: string; count: number }>();
  return new Map(counts.map(({ id, count }) => [id, count]));
}
