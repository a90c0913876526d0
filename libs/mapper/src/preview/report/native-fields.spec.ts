import type { Mapping } from '../../mapping/mapping';
import { mappingOf } from '../../platforms/registry';
import { allMappings } from '../../testing/all-mappings';
import { nativeFieldsOf, type NativeNode } from './native-fields';

const invoice = (): Mapping => mappingOf('platform_a', 'invoice');

function nodeAt(mapping: Mapping, path: string): NativeNode | undefined {
  let node: NativeNode | undefined = nativeFieldsOf(mapping);
  for (const member of path.split('.')) node = node?.inner.get(member);
  return node;
}

/** Paths of the nodes that pass a test, with those of lines behind the path of their list. */
function pathsOf(node: NativeNode, passes: (one: NativeNode) => boolean, path = ''): readonly string[] {
  const lines = node.members === undefined ? [] : pathsOf(node.members, passes, `${path}[]`);
  const inner = [...node.inner].flatMap(([name, one]) =>
    pathsOf(one, passes, path === '' ? name : `${path}.${name}`),
  );
  return [...(passes(node) ? [path] : []), ...lines, ...inner];
}

describe('the native fields of a mapping', () => {
  it('are made once', () => {
    expect(nativeFieldsOf(invoice())).toBe(nativeFieldsOf(invoice()));
    expect(nativeFieldsOf(invoice())).not.toBe(nativeFieldsOf(mappingOf('platform_b', 'invoice')));
  });

  it('have the native ID at one place', () => {
    expect(pathsOf(nativeFieldsOf(invoice()), ({ isId }) => isId)).toEqual([invoice().options.id.path]);
  });

  it('have each canonical field at each of its paths, and nowhere else', () => {
    const described = invoice()
      .describe()
      .flatMap(({ field, paths }) => [...new Set(paths)].map((path) => `${path} ${field}`));
    const found = new Set(
      pathsOf(nativeFieldsOf(invoice()), ({ fields }) => fields.length > 0)
        .filter((path) => !path.includes('[]'))
        .flatMap((path) => (nodeAt(invoice(), path)?.fields ?? []).map((field) => `${path} ${field}`)),
    );
    expect([...found].toSorted()).toEqual([...new Set(described)].toSorted());
  });

  it('have the fields of lines where a list of lines is, and only there', () => {
    let lists = 0;
    for (const { mapping } of allMappings) {
      const described = mapping.describe().filter(({ members }) => members !== undefined);
      const places = pathsOf(nativeFieldsOf(mapping), ({ members }) => members !== undefined);
      expect([...places].toSorted()).toEqual(
        [...new Set(described.flatMap(({ paths }) => paths))].toSorted(),
      );
      for (const { paths, members = [] } of described) {
        lists += 1;
        const lines = nodeAt(mapping, paths[0] ?? '')?.members;
        const wanted = members.flatMap((one) => one.paths);
        const found = lines === undefined ? [] : pathsOf(lines, ({ fields }) => fields.length > 0);
        expect([...found].toSorted()).toEqual([...new Set(wanted)].toSorted());
      }
    }
    expect(lists).toBeGreaterThan(0);
  });
});
