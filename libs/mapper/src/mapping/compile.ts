import type { EntityType } from '../canonical/entity-type';
import type { Fields } from '../canonical/field';
import type { OwnFields } from '../canonical/own-fields';
import { fieldsOf } from '../canonical/types';
import { pathFrom, samePath, valueAt, type JsonPath } from '../json/json-path';
import type { JsonValue } from '../json/json-value';
import { PathTree } from '../json/path-tree';
import type { Access, NativeResource } from '../resource/native-resource';
import type { Binding, ValueBinding } from './binding';
import { lineMapping } from './line-mapping';
import { pathsOfStep } from './reading/access';
import type { CompiledMapping, DependentPath } from './compiled-mapping';
import type { ConditionalFigure, ResourceOptions } from './resource';
import { valueStep, type Step, type Trees } from './step';

/**
 * Compiles the table of a resource.
 *
 * @throws TypeError when a reference field has no reference, or another field has one, when two fields write one
 *   native path, or when the resource does not describe one
 */
export function compileMapping(
  entityType: EntityType,
  resource: NativeResource,
  table: Readonly<Record<string, Binding<JsonValue>>>,
  options: ResourceOptions,
  own?: OwnFields,
): CompiledMapping {
  const trees: Trees = { native: new PathTree(), canonical: new PathTree() };
  const steps = Object.entries(table).flatMap(([field, binding]): Step[] => {
    const refersTo = fieldsOf(entityType)[field]?.refersTo;
    if (binding.kind === 'absent') return [];
    if ((binding.kind === 'reference') !== (refersTo !== undefined)) {
      throw new TypeError(
        `${resource.name}.${field}: a reference field takes a reference, and no other does`,
      );
    }
    return [stepOf(field, binding, refersTo, { ...trees, resource })];
  });
  refuseSharedPaths(resource.name, steps);
  const currencyPath = options.currency === undefined ? undefined : pathFrom(options.currency);
  const idPath = pathFrom(options.id.path);
  resource.accessTo(options.id.path);
  return {
    entityType,
    resource,
    options,
    requiredToCreate: resource.requiredToCreate.map((name) => canonicalFieldAt(name, steps, resource)),
    steps,
    stepByField: new Map(steps.map((step) => [step.field, step])),
    dependent: dependentPaths(fieldsOf(entityType, own), resource, steps, options),
    shownOf: pathsByField(resource, options.shownOf),
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

// An amount or a price without its currency is another one, so each ends with the currency of its record.
function dependentPaths(
  fields: Fields,
  resource: NativeResource,
  steps: readonly Step[],
  { computed = {}, currency }: ResourceOptions,
): ReadonlyMap<string, readonly DependentPath[]> {
  const figures = Object.entries(computed).map(([field, all]): [string, readonly ConditionalFigure[]] => [
    field,
    all.map((figure) => (typeof figure === 'string' ? { path: figure, unless: () => false } : figure)),
  ]);
  const byField = new Map(figures);
  if (currency !== undefined) {
    const isAmount = ({ field, kind }: Step) =>
      kind === 'lines' || fields[field]?.money || fields[field]?.price;
    const amounts = steps.filter(isAmount);
    const paths = amounts.flatMap(pathsOfStep).map((path) => path.join('.'));
    byField.set('currency', [
      ...paths.map((path) => ({ path, unless: () => false })),
      ...(byField.get('currency') ?? []),
    ]);
  }
  return new Map(
    [...byField].map(([field, all]) => [field, all.map((figure) => dependentPath(figure, resource, steps))]),
  );
}

function dependentPath(
  { path: name, unless }: ConditionalFigure,
  resource: NativeResource,
  steps: readonly Step[],
): DependentPath {
  if (name !== resource.lines) resource.accessTo(name);
  const path = pathFrom(name);
  const isThere = (step: Step) => pathsOfStep(step).some((one) => samePath(one, path));
  return {
    path,
    steps: steps.filter(isThere),
    isIn: (record) => valueAt(record, path) !== undefined && !unless(record),
  };
}

function pathsByField(
  resource: NativeResource,
  byField: Readonly<Record<string, readonly string[]>> = {},
): ReadonlyMap<string, readonly JsonPath[]> {
  const entries = Object.entries(byField).map(([field, names]): [string, readonly JsonPath[]] => {
    for (const name of names) resource.accessTo(name);
    return [field, names.map(pathFrom)];
  });
  return new Map(entries);
}

function stepOf(
  field: string,
  binding: Exclude<Binding<JsonValue>, { kind: 'absent' }>,
  refersTo: EntityType | undefined,
  { resource, ...trees }: Trees & { readonly resource: NativeResource },
): Step {
  switch (binding.kind) {
    case 'value':
      return valueStep(field, binding, accessOfValue(field, binding, resource), trees);
    case 'reference': {
      if (refersTo === undefined) throw new TypeError(`${field} refers to nothing`);
      const sources = binding.sources.map((source) => ({
        ...source,
        name: source.path.join('.'),
        access: resource.accessTo(source.path.join('.')),
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
      if (binding.path.join('.') !== resource.lines)
        throw new TypeError(`${resource.name} has no such lines`);
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

function canonicalFieldAt(name: string, steps: readonly Step[], resource: NativeResource): string {
  const step = steps.find((one) => pathsOfStep(one).some((path) => path.join('.') === name));
  if (step === undefined) throw new TypeError(`${resource.name} needs ${name}, which has no canonical field`);
  return step.field;
}

// A value in several native fields is written to all of them or to none.
function accessOfValue(
  field: string,
  { places, readOnly, condition }: ValueBinding<JsonValue>,
  resource: NativeResource,
): Access {
  if (condition !== undefined) resource.accessTo(condition.path.join('.'));
  const [access = 'read', ...others] = new Set(places.map(({ path }) => resource.accessTo(path.join('.'))));
  if (others.length > 0) throw new TypeError(`${resource.name}.${field} can be written in part only`);
  return readOnly ? 'read' : access;
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
