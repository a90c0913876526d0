import { JsonTextError, parseJsonText, stringifyJson } from '../json/json-text';
import type { JsonObject, JsonValue } from '../json/json-value';
import { mappingOf } from '../platforms';
import { inUsd } from '../testing/canonical.arbitrary';
import { previewed } from '../testing/round-trip';
import { absent, at, linesAt } from './binding';
import { withoutContext, type Codec } from './codec';
import { IssueList, MOST_ISSUES } from './issues';
import { lineMapping, MOST_LINES } from './line-mapping';
import { MappingError } from './mapping-error';

const contract = mappingOf('platform_a', 'contract', { variant: 'WorkOrderContract' });
const listOf = (line: JsonValue, count: number): JsonObject => ({
  line_items: Array.from({ length: count }, () => line),
});

describe('what one record may cost', () => {
  it.each([1, null, { amount: true }])('has bounded issues, with 130,000 faulty lines %j', (line) => {
    const { issues, data, residue } = contract.decode(listOf(line, 130_000), inUsd);
    expect(issues).toEqual([
      { path: 'line_items', problem: `has 130000 lines, more than the ${MOST_LINES} that are taken` },
    ]);
    expect(data.lines).toBeUndefined();
    expect(residue.fields.line_items).toHaveLength(130_000);
  });

  it('stops reading lines once a hundred do not fit', () => {
    let reads = 0;
    const counted: Codec<string> = {
      schema: { type: 'string' },
      decode: () => {
        reads += 1;
        return null;
      },
      encode: () => null,
    };
    const { line } = linesAt('x', {
      members: {
        id: absent,
        position: absent,
        description: at('description', counted),
        quantity: absent,
        unit_price: absent,
        uom: absent,
        amount: absent,
        budget_code: absent,
      },
    });
    const issues = new IssueList();
    lineMapping(line).decode(
      Array.from({ length: MOST_LINES }, (_, index) => (index % 2 ? 1 : { description: 'x' })),
      'x',
      withoutContext,
      issues,
    );
    expect(reads).toBe(MOST_ISSUES);
    expect(issues.list).toHaveLength(MOST_ISSUES + 1);
    expect(issues.list.at(-1)).toEqual({ path: 'x', problem: 'was read no further' });
  });

  it('takes as many lines as the limit', () => {
    const { data, issues } = contract.decode(listOf({ amount: '1.00' }, MOST_LINES), inUsd);
    expect(issues).toEqual([]);
    expect(data.lines).toHaveLength(MOST_LINES);
  });

  it('names twenty problems in a message, and counts the others', () => {
    const issues = Array.from({ length: 130_000 }, (_, index) => ({ path: `x[${index}]`, problem: 'no' }));
    const { message } = new MappingError(issues).within('data');
    expect(message).toMatch(/^data\.x\[0\]: no; .*data\.x\[19\]: no; and 129980 more$/);
  });

  it.each(['1e61', '-1e-61', '1e999', `1e${'9'.repeat(100_000)}`])(
    'expands no number like %.10s',
    (token) => {
      const payload = parseJsonText(`{"salesOrderLines":[{"quantity":${token}}]}`) as JsonObject;
      const { issues } = mappingOf('platform_b', 'contract').decode(payload, inUsd);
      expect(issues).toEqual([
        {
          path: 'salesOrderLines[0].quantity',
          problem: expect.stringContaining('too large or too small') as string,
        },
      ]);
      expect(stringifyJson(payload).length).toBeLessThan(token.length + 60);
    },
  );

  it('refuses a text of more exact numbers than any record has', () => {
    expect(() => parseJsonText(`[${Array(20_001).fill('1e999').join()}]`)).toThrow(JsonTextError);
    expect(parseJsonText(`[${Array(20_000).fill('1e999').join()}]`)).toHaveLength(20_000);
  });

  it('reads runs of zeros once', () => {
    const zeros = '0'.repeat(500_000);
    for (const token of [`1${zeros}1`, `0.${zeros}1`, `0.${zeros}`]) {
      expect(stringifyJson(parseJsonText(`{"x":${token}}`)).length).toBeLessThan(zeros.length + 20);
    }
  });

  it.each([
    [
      'full',
      { id: 1, position: 1, description: 'abc', quantity: '1', unit_cost: '2', uom: 'EA', amount: '1.00' },
    ],
    [
      'spelt oddly',
      { position: '1', quantity: '1.0', unit_cost: '1.0', amount: '1', description: 'Piling works' },
    ],
  ])('answers at most four times a large record (%s)', (_name, line) => {
    const payload = listOf(line, 5000);
    const { canonical, payload: written } = previewed(
      { platform: 'platform_a', entityType: 'contract' },
      { platform: 'platform_b' },
      payload,
      { commitmentType: 'WorkOrderContract' },
    );
    const size = stringifyJson({ canonical, written }).length;
    expect(size).toBeLessThan(4 * stringifyJson(payload).length);
  });
});
