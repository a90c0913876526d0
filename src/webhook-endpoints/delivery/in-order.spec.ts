import { fc } from '../../../libs/mapper/src/testing/property';
import { actInOrder } from './in-order';

describe('actInOrder()', () => {
  const things = fc
    .array(fc.constantFrom('a', 'b', 'c', null), { maxLength: 20 })
    .map((objects) => objects.map((object, place) => ({ object, place })));

  it('keeps the order of each object, goes on beside, and leaves the end of the list when it is told to stop', async () => {
    await fc.assert(
      fc.asyncProperty(things, fc.integer({ min: 1, max: 4 }), fc.nat(25), async (list, most, stopAfter) => {
        const begun: number[] = [];
        const busy = new Set<string>();
        let [running, mostRunning] = [0, 0];
        const left = await actInOrder(
          list,
          most,
          () => begun.length < stopAfter,
          async ({ object, place }) => {
            begun.push(place);
            expect(object !== null && busy.has(object)).toBe(false);
            if (object !== null) busy.add(object);
            running += 1;
            mostRunning = Math.max(mostRunning, running);
            for (let turn = 0; turn < (place % 3) + 1; turn += 1) await Promise.resolve();
            running -= 1;
            if (object !== null) busy.delete(object);
          },
        );
        expect(begun).toEqual(list.slice(0, stopAfter).map(({ place }) => place));
        expect(left).toEqual(list.slice(stopAfter));
        expect(mostRunning).toBeLessThanOrEqual(most);
        expect(running).toBe(0);
      }),
    );
  });
});
