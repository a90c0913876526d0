import type { ApiResponse, api } from '../app/api';
import type { Body } from './customer';

/** The elements of all pages, by the cursors that the answers give. */
export async function pagesOf<Element>(
  client: ReturnType<typeof api>,
  path: string,
): Promise<readonly Element[]> {
  const all: Element[] = [];
  for (let cursor: string | null | undefined; cursor !== null;) {
    const { status, body } = await client.get(
      `${path}${cursor === undefined ? '' : `&cursor=${encodeURIComponent(cursor)}`}`,
    );
    expect({ status, error: body.error }).toEqual({ status: 200, error: undefined });
    all.push(...body.data);
    cursor = body.next_cursor as string | null;
  }
  return all;
}

/** Expects that the lines of a statement lead from one sum to the other, and that its counts add up. */
export function expectToFootTo(statement: Body): void {
  for (const { entity_type: type, totals, counts, ages } of statement.types) {
    const open = counts.disagree + counts.only_on.platform_a + counts.only_on.platform_b + counts.ambiguous;
    expect([type, Object.values<number>(ages).reduce((sum, one) => sum + one, 0)]).toEqual([type, open]);
    if (totals === null) continue;
    const { from, lines, to, outside } = totals;
    const led = lines.reduce((sum: number, { amount }: Body) => sum + amount.amount, from.sum.amount);
    expect([type, led]).toEqual([type, to.sum.amount]);
    for (const { platform, records, summed, without_amount: without } of [from, to]) {
      const beyond = outside
        .filter((one: Body) => one.platform === platform)
        .reduce((sum: number, one: Body) => sum + one.records, 0);
      expect([type, platform, records]).toEqual([type, platform, summed + without + beyond]);
    }
  }
}

/** Expects that the tag of a single read is the version, with a suffix for everything else that the read shows. */
export function expectTag({ headers, body }: ApiResponse): void {
  expect(headers.get('ETag')).toMatch(new RegExp(`^"${body.data.version}-[\\w-]{22}"$`));
}

/** The value of a field, by its name in conflicts and in history. The name of an own field starts with `custom.`. */
export function fieldOf(data: Body, field: string): unknown {
  const [first = '', own] = field.split('.');
  return first === 'custom' && own !== undefined ? data.custom?.[own] : data[field];
}
