import { fc } from '../../../libs/mapper/src/testing/property';
import { spreadingOrder, type ReferringTable } from './spreading-order';

describe('spreadingOrder', () => {
  it('puts a table after those that it refers to, and keeps the names in order otherwise', () => {
    expect(
      spreadingOrder([
        { name: 'records', refersTo: ['objects'] },
        { name: 'objects', refersTo: ['customers'] },
        { name: 'connections', refersTo: ['customers'] },
        { name: 'aliases', refersTo: ['objects', 'objects'] },
      ]),
    ).toEqual(['connections', 'objects', 'records', 'aliases']);
  });

  it('lets a table refer to itself and to tables that are not asked about', () => {
    expect(spreadingOrder([{ name: 'runs', refersTo: ['runs', 'elsewhere'] }])).toEqual(['runs']);
  });

  it('refuses a circle', () => {
    const circle = [
      { name: 'a', refersTo: ['b'] },
      { name: 'b', refersTo: ['a'] },
    ];
    expect(() => spreadingOrder(circle)).toThrow('Tables refer to one another: a, b');
  });

  it('orders whatever has no circle, each table once', () => {
    // A table refers to earlier ones only; then the list is shuffled.
    const acyclic = fc
      .array(fc.array(fc.nat({ max: 11 }), { maxLength: 4 }), { maxLength: 12 })
      .map((lists) =>
        lists.map((list, index): ReferringTable => ({
          name: `t${index}`,
          refersTo: list.filter((other) => other < index).map((other) => `t${other}`),
        })),
      );
    fc.assert(
      fc.property(
        acyclic.chain((tables) => fc.shuffledSubarray(tables, { minLength: tables.length })),
        (tables) => {
          const order = spreadingOrder(tables);
          expect([...order].sort()).toEqual(tables.map(({ name }) => name).sort());
          for (const { name, refersTo } of tables) {
            for (const other of refersTo) expect(order.indexOf(other)).toBeLessThan(order.indexOf(name));
          }
        },
      ),
    );
  });
});
