import type { EntityType } from '../canonical/entity-type';
import { fieldsOf } from '../canonical/types';
import { pathFrom, samePath, type JsonPath } from '../json/json-path';
import type { JsonValue } from '../json/json-value';
import { PathTree } from '../json/path-tree';
import type { Binding } from './binding';
import { lineMapping } from './line-mapping';
import type { CompiledMapping } from './compiled-mapping';
import type { ResourceOptions } from './resource';
import { valueStep, type Step, type Trees } from './step';

/**
 * Compiles the table of a resource.
 *
 * @throws TypeError when a reference field has no reference, or another field has one, or when two fields write one
 *   native path
 */
export function compileMapping(
  entityType: EntityType,
  resource: string,
  table: Readonly<Record<string, Binding<JsonValue>>>,
  options: ResourceOptions,
): CompiledMapping {
  const trees: Trees = { native: new PathTree(), canonical: new PathTree() };
  const steps = Object.entries(table).flatMap(([field, binding]): Step[] => {
    const refersTo = fieldsOf(entityType)[field]?.refersTo;
    if (binding.kind === 'absent') return [];
    if ((binding.kind === 'reference') !== (refersTo !== undefined)) {
      throw new TypeError(`${resource}.${field}: a reference field takes a reference, and no other does`);
    }
    return [stepOf(field, binding, refersTo, trees)];
  });
  refuseSharedPaths(resource, steps);
  const currencyPath = options.currency === undefined ? undefined : pathFrom(options.currency);
  const idPath = pathFrom(options.id.path);
  return {
    entityType,
    resource,
    options,
    steps,
    stepByField: new Map(steps.map((step) => [step.field, step])),
    references: steps.filter((step) => step.kind === 'reference'),
    ...trees,
    idPath,
    idPlace: trees.native.add(idPath),
    currencyPath,
    currencyPlace: currencyPath && trees.native.add(currencyPath),
    currencyFields: steps.flatMap((step) =>
      currencyPath && step.kind === 'value' && step.paths.some((path) => samePath(path, currencyPath))
        ? [step.field]
        : [],
    ),
  };
}

function stepOf(
  field: string,
  binding: Exclude<Binding<JsonValue>, { kind: 'absent' }>,
  refersTo: EntityType | undefined,
  trees: Trees,
): Step {
  switch (binding.kind) {
    case 'value':
      return valueStep(field, binding, trees);
    case 'reference': {
      if (refersTo === undefined) throw new TypeError(`${field} refers to nothing`);
      const sources = binding.sources.map((source) => ({
        ...source,
        name: source.path.join('.'),
        place: trees.native.add(source.path),
      }));
      return {
        kind: 'reference',
        field,
        index: trees.canonical.add([field]),
        refersTo,
        sources,
        written: sources.filter(({ composed }) => !composed),
      };
    }
    case 'lines':
      return {
        kind: 'lines',
        field,
        index: trees.canonical.add([field]),
        path: binding.path,
        name: binding.path.join('.'),
        place: trees.native.add(binding.path),
        lines: lineMapping(binding.line),
      };
  }
}

// Two fields on one path, or one inside the other's, would overwrite each other in the order of the table.
function refuseSharedPaths(resource: string, steps: readonly Step[]): void {
  const written: { readonly field: string; readonly path: JsonPath }[] = [];
  for (const step of steps) {
    for (const path of writtenPaths(step)) {
      const other = written.find((earlier) => earlier.field !== step.field && overlap(earlier.path, path));
      if (other !== undefined) {
        throw new TypeError(`${resource}: ${step.field} and ${other.field} both write ${path.join('.')}`);
      }
      written.push({ field: step.field, path });
    }
  }
}

function writtenPaths(step: Step): readonly JsonPath[] {
  switch (step.kind) {
    case 'value':
      return step.binding.readOnly ? [] : step.paths;
    case 'reference':
      return step.written.map(({ path }) => path);
    case 'lines':
      return [step.path];
  }
}

/** Whether one path is the other, or leads to it. */
export function overlap(one: JsonPath, other: JsonPath): boolean {
  const [shorter, longer] = one.length <= other.length ? [one, other] : [other, one];
  return shorter.every((member, index) => member === longer[index]);
}
