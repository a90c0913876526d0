import { customers } from '../model/master-pages';
import { ODataError } from '../odata-error';
import type { Row } from '../store/row';
import { parseFilter, requiredValue } from './filter';
import { predicateOf } from './predicate';

const row: Row = {
  id: '6c5e0f1a-9d2b-4c7e-8f30-2b1d4a6c8e90',
  etag: 'W/"x"',
  values: {
    id: '6c5e0f1a-9d2b-4c7e-8f30-2b1d4a6c8e90',
    number: 'C00010',
    displayName: "O'Hara & Sons (Doha)",
    creditLimit: 100.5,
    taxLiable: false,
    blocked: '_x0020_',
    type: 'Company',
    lastModifiedDateTime: '2026-07-02T07:50:37.1203447Z',
  },
};
const passes = (filter: string): boolean => predicateOf(customers, parseFilter(filter))(row);

function errorOf(filter: string): ODataError {
  try {
    passes(filter);
  } catch (error) {
    if (error instanceof ODataError) return error;
    throw error;
  }
  throw new Error(`${filter} was taken`);
}

describe('a filter', () => {
  it.each([
    ["number eq 'C00010'", true],
    ["number eq ' c00010'", true],
    ["displayName eq 'O''Hara & Sons (Doha)'", true],
    ["displayName eq 'o''hara & sons (doha)'", false],
    ['creditLimit gt 100 and creditLimit le 100.5', true],
    ['creditLimit lt 1E2', false],
    ['taxLiable eq false', true],
    ['id eq 6C5E0F1A-9d2b-4c7e-8f30-2b1d4a6c8e90', true],
    ['id ne 00000000-0000-0000-0000-000000000000', true],
    ["blocked eq ' '", true],
    ["blocked eq '_x0020_'", true],
    ["type ne 'Company'", false],
    ['lastModifiedDateTime ge 2026-07-02T07:50:37.1203447Z', true],
    ['lastModifiedDateTime gt 2026-07-02T07:50:37.12034Z', true],
    ['lastModifiedDateTime gt 2026-07-02T07:50:37.13Z', false],
    ['lastModifiedDateTime ge 2026-07-02T09:50:37.5+02:00', false],
    ["contains(displayName,'Sons') and startswith(number, 'c0') and endswith(number,'10')", true],
    ["not contains(displayName,'Sons')", false],
    ["not (number eq 'X') and (number eq 'Y' or number eq 'C00010')", true],
    ["number eq 'Y' or number eq 'Z' and number eq 'C00010'", false],
    ["contains(displayName,'Sons') eq true", true],
  ])('%s is %s', (filter, expected) => {
    expect(passes(filter)).toBe(expected);
  });

  it('takes a lambda and pays it no attention', () => {
    expect(passes("salesOrderLines/any(l: l/quantity gt 5 and (l/id eq 'x'))")).toBe(true);
    expect(passes("number eq 'nobody' and salesOrderLines/all(l: l/quantity gt 5)")).toBe(false);
  });

  it('refuses "or" between different fields', () => {
    expect(errorOf("number eq 'X' or displayName eq 'Y'")).toMatchObject({
      status: 400,
      message: "The 'OR' operator is not supported on distinct fields on an OData filter.",
    });
    expect(errorOf("(number eq 'X' or number eq 'Y') or type eq 'Person'").status).toBe(400);
  });

  it.each([
    "number eq 'X",
    'number',
    "number like 'X'",
    "number eq 'X' and",
    "(number eq 'X'",
    "number eq 'X')",
    "contains(number,'X'",
    'contains(number,X)',
    "nothing eq 'X'",
    `${'('.repeat(101)}number eq 'X'${')'.repeat(101)}`,
    `${'not '.repeat(101)}number eq 'X'`,
  ])('cannot be read: %s', (filter) => {
    expect(errorOf(filter)).toMatchObject({ status: 404, code: 'BadRequest_NotFound' });
  });

  it.each([
    'number eq C00010',
    "creditLimit eq '100'",
    "id eq '6c5e0f1a-9d2b-4c7e-8f30-2b1d4a6c8e90'",
    "lastModifiedDateTime ge '2026-07-02'",
    'taxLiable eq 0',
    "blocked eq 'Sometimes'",
    "contains(creditLimit,'1')",
  ])('refuses a literal of another type: %s', (filter) => {
    expect(errorOf(filter)).toMatchObject({ status: 400, code: 'BadRequest' });
  });

  it('knows the values that all results have', () => {
    expect(requiredValue(parseFilter("type eq 'Person' and (number eq 'X')"), 'number')).toBe('X');
    expect(requiredValue(parseFilter("number eq 'X' or number eq 'Y'"), 'number')).toBeUndefined();
    expect(requiredValue(parseFilter("not (number eq 'X')"), 'number')).toBeUndefined();
    expect(requiredValue(parseFilter("number gt 'X'"), 'number')).toBeUndefined();
  });
});
