import { ValidationPipe, type ArgumentMetadata, type Type } from '@nestjs/common';
import * as transformerPackage from 'class-transformer';
import * as validatorPackage from 'class-validator';
import type { ValidationError } from 'class-validator';
import { invalidInput } from '../errors/api-error';
import { ownMember, plainFor, shapeOf, type DtoShape, type Problems } from './dto-shape';
import { fastPathOf, type FastPath } from './fast-path';
import { unknownParameters } from './query-names';

/**
 * Nest's ValidationPipe for bodies and queries, with three differences. It receives only the declared members, and free
 * JSON comes out as it was parsed; see {@link plainFor}. It refuses parameters of a query that are undeclared, repeated
 * or empty. One error names every problem by its path. A valid value of a usual form takes {@link fastPathOf}.
 */
export class DtoPipe extends ValidationPipe {
  private readonly fastPaths = new Map<Type<object>, FastPath | undefined>();

  constructor() {
    super({
      transform: true,
      validatorPackage,
      transformerPackage,
      validationError: { value: true },
      exceptionFactory: (errors: ValidationError[]) => new Unfit(errors),
    });
  }

  /** @throws ApiError 400 */
  override async transform(value: unknown, metadata: ArgumentMetadata): Promise<unknown> {
    const { metatype, type } = metadata;
    if (metatype === undefined || (type !== 'body' && type !== 'query')) return value;
    const shape = shapeOf(metatype as Type<object>); // Nest's type allows primitives, which have no rules.
    if (shape.members.length === 0) return value;
    const faults = type === 'query' ? faultsOfQuery(shape, value) : noFaults;
    const valid = faults === noFaults ? this.fastPath(shape)?.(value) : undefined;
    return valid ?? (await this.read(shape, value, faults, metadata));
  }

  protected fastPath(shape: DtoShape): FastPath | undefined {
    if (!this.fastPaths.has(shape.dto)) this.fastPaths.set(shape.dto, fastPathOf(shape));
    return this.fastPaths.get(shape.dto);
  }

  private async read(
    shape: DtoShape,
    value: unknown,
    { repeated, empty, unknown }: QueryFaults,
    metadata: ArgumentMetadata,
  ): Promise<unknown> {
    const problems: Problems = new Map();
    const plain = plainFor(shape, value, '', problems);
    for (const name of repeated) problems.set(name, `${name} must be given only once`);
    let dto: unknown;
    try {
      dto = await super.transform(plain, metadata);
    } catch (error) {
      if (!(error instanceof Unfit)) throw error;
      for (const [path, problem] of error.errors.flatMap((one) => problemsOf(one, ''))) {
        // A problem of the member itself is more precise than its absence from a list of names.
        if (!problems.has(path)) problems.set(path, problem);
      }
    }
    // A problem that names the allowed values is more precise.
    for (const name of empty) if (!problems.has(name)) problems.set(name, `${name} must not be empty`);
    if (problems.size + unknown.length > 0)
      throw invalidInput([...new Set([...problems.values(), ...unknown])]);
    return dto;
  }
}

/** Carries class-validator's findings through Nest's pipe. */
class Unfit extends Error {
  constructor(readonly errors: readonly ValidationError[]) {
    super('The value does not fit');
  }
}

/** The problems of a query that do not depend on its values. */
interface QueryFaults {
  /** Repeated names. A parsed query has a list for each. */
  readonly repeated: readonly string[];
  /** Names without a value. */
  readonly empty: readonly string[];
  /** In words. */
  readonly unknown: readonly string[];
}

const noFaults: QueryFaults = { repeated: [], empty: [], unknown: [] };

function faultsOfQuery({ members }: DtoShape, value: unknown): QueryFaults {
  const names = members.map(({ name }) => name);
  const repeated = names.filter((name) => Array.isArray(ownMember(value, name)));
  const empty = names.filter((name) => ownMember(value, name) === '');
  const unknown = unknownParameters(value, (name) => names.includes(name));
  return repeated.length + empty.length + unknown.length === 0 ? noFaults : { repeated, empty, unknown };
}

/** The problems of a member and of its nested members, each with its path. */
function problemsOf(
  { property, value, constraints = {}, children = [] }: ValidationError,
  parent: string,
): [string, string][] {
  // class-validator reports the elements of a list as properties named by their index.
  const path = /^\d+$/.test(property) ? `${parent.replace(/\.$/, '')}[${property}]` : parent + property;
  const own = problemOf(value, constraints, property) ?? '';
  const message = own.startsWith(`${property} `) ? path + own.slice(property.length) : own;
  return [
    ...(own === '' ? [] : [[path, message] satisfies [string, string]]),
    // If a value should be a list and is not, its members are not reported.
    ...(own === '' || Array.isArray(value) ? children.flatMap((child) => problemsOf(child, `${path}.`)) : []),
  ];
}

/**
 * The most precise problem of a member. A missing member is only reported as required, unless `IsDefined` has its own
 * message. The first rule of a member is about its type; for a value of another type the other rules' messages mislead.
 */
function problemOf(
  value: unknown,
  constraints: Readonly<Record<string, string>>,
  property: string,
): string | undefined {
  // class-validator runs the rules from the last to the first, and the rules of nested values at the end.
  const { nestedValidation, ...others } = constraints;
  const first =
    Object.values(others).at(-1) ??
    // Its own message names the list, and not the element that is no object.
    (nestedValidation === undefined ? undefined : `${property} must be a JSON object`);
  if (first === undefined || value !== undefined) return first;
  return constraints['isDefined'] ?? `${property} is required`;
}
