import { queryOptionsOf } from './options';

const options = (text: string): ReturnType<typeof queryOptionsOf> =>
  queryOptionsOf(new URLSearchParams(text));

describe('the options of a query', () => {
  it('are read, and other parameters left alone', () => {
    expect(
      options('$select=id, number&$orderby=number desc,id&$top=3&$skip=1&$count=true&tenant=x'),
    ).toMatchObject({
      select: ['id', 'number'],
      orderBy: [
        { field: 'number', descending: true },
        { field: 'id', descending: false },
      ],
      top: 3,
      skip: 1,
      count: true,
      filter: undefined,
    });
  });

  it('may be nested in an expansion', () => {
    const { expand } = options(
      "$expand=salesOrderLines($select=id;$filter=description eq 'a,b;(c';$expand=x),customer",
    );
    expect(expand.map(({ part }) => part)).toEqual(['salesOrderLines', 'customer']);
    expect(expand[0]?.options).toMatchObject({
      select: ['id'],
      filter: { literal: { text: 'a,b;(c' } },
      expand: [{ part: 'x' }],
    });
  });

  it.each([
    ['$top=-1', 400],
    ['$top=1&$top=2', 400],
    ['$count=1', 400],
    ['$orderby=number down', 404],
    ['$expand=a(b', 404],
    ['$apply=x', 501],
    ['$search=x', 501],
    [`$expand=${'a($expand='.repeat(6)}b${')'.repeat(6)}`, 400],
  ])('refuses %s', (text, status) => {
    expect(() => options(text)).toThrow(expect.objectContaining({ status }));
  });
});
