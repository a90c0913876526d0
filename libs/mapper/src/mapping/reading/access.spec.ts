import { allMappings } from '../../testing/all-mappings';
import { fc } from '../../testing/property';
import { overlap } from '../compile';

describe.each(allMappings)('the native paths of $name', ({ mapping }) => {
  const known = mapping.describe().flatMap(({ paths }) => paths.map((path) => path.split('.')));
  // Annotations hold a point in their names; the last test here is about them.
  const fixed = mapping.fixedPaths.filter((one) => !one.startsWith('@')).map((one) => one.split('.'));
  const names = [...new Set([...known, ...fixed].flat()), 'other', '__proto__'];
  const path = fc.oneof(
    fc.constantFrom(...known, ...fixed),
    fc.array(fc.constantFrom(...names), { minLength: 1, maxLength: 4 }),
  );

  it('are found in a tree as they are by looking through all of them', () => {
    fc.assert(
      fc.property(fc.array(path, { maxLength: 3 }), (paths) => {
        const expected = mapping
          .describe()
          .filter(
            ({ members, paths: own }) =>
              members === undefined &&
              own.some((one) => paths.some((other) => overlap(one.split('.'), other))),
          )
          .map(({ field }) => field);
        expect(mapping.fieldsAt(paths)).toEqual(expected);
      }),
      { numRuns: 100 },
    );
  });

  it('are fixed where one of the fixed paths is in the way, unless they may be written themselves', () => {
    fc.assert(
      fc.property(path, (one) => {
        const writable = mapping.writablePaths.some((other) => other.join('\0') === one.join('\0'));
        const hindered = !writable && fixed.some((other) => overlap(other, one));
        expect(mapping.fixedPathAt(one) !== undefined).toBe(hindered);
      }),
      { numRuns: 100 },
    );
  });
});

it('annotations of platform_b are fixed, whatever their name', () => {
  const { mapping } = allMappings.find(({ name }) => name === 'platform_b payment') ?? {};
  expect(mapping?.fixedPathAt(['@odata.etag'])).toEqual(['@odata.etag']);
  expect(mapping?.fixedPathAt(['@odata.type', 'x'])).toEqual(['@odata.type']);
  expect(mapping?.fixedPathAt(['comment'])).toBeUndefined();
});
