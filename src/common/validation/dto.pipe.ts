import type { ArgumentMetadata, PipeTransform, Type } from '@nestjs/common';
import { plainToInstance } from 'class-transformer';
import { validate, type ValidationError } from 'class-validator';
import { invalidInput } from '../errors/api-error';
import { compiledDto, validDto, type CompiledDto } from './compiled-dto';
import { ownMember, plainFor, shapeOf, type DtoShape, type Problems } from './dto-shape';
import { unknownParameters } from './query-names';

/**
 * Turns a body or a query into its DTO by class-transformer and validates it by class-validator. Members of a body that the
 * DTO does not declare are ignored; parameters of a query that it does not declare are refused, as are those that are given
 * twice or without a value. A valid value of a usual form is recognised by the libraries' own rules, gathered once; see
 * {@link validDto}. Nest's ValidationPipe is not used because it hands all of the body to class-transformer, which
 * does not leave free-form `data` as it was sent; see {@link plainFor}.
 */
export class DtoPipe implements PipeTransform<unknown, unknown> {
  private readonly compiled = new Map<Type<object>, CompiledDto | undefined>();

  /** @throws ApiError 400 */
  transform(value: unknown, { metatype, type }: ArgumentMetadata): unknown {
    if (metatype === undefined || (type !== 'body' && type !== 'query')) return value;
    const dtoType = metatype as Type<object>; // Nest's type allows primitives, which have no rules.
    const shape = shapeOf(dtoType);
    if (shape.members.length === 0) return value;

    const faults = type === 'query' ? faultsOfQuery(shape, value) : noFaults;
    const compiled = this.compiledOf(dtoType, shape);
    const valid = compiled && faults === noFaults ? validDto(compiled, value) : undefined;
    return valid ?? readDto(shape, value, faults);
  }

  private compiledOf(dto: Type<object>, shape: DtoShape): CompiledDto | undefined {
    if (!this.compiled.has(dto)) this.compiled.set(dto, compiledDto(dto, shape));
    return this.compiled.get(dto);
  }
}

/** What is wrong with a query as such, whatever its DTO says of values. */
interface QueryFaults {
  /** Names that are given more than once: a parsed query holds a list there. */
  readonly repeated: readonly string[];
  /** Names that are given without a value. */
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

/**
 * Reads any value by the libraries themselves, and says what is wrong with one that is not valid.
 *
 * @param faults of the query that the value is
 * @throws ApiError 400
 */
export async function readDto(
  shape: DtoShape,
  value: unknown,
  { repeated, empty, unknown }: QueryFaults = noFaults,
): Promise<object> {
  const problems: Problems = new Map();
  const plain = plainFor(shape, value, '', problems);
  for (const name of repeated) problems.set(name, `${name} must be given only once`);
  const dto = plainToInstance(shape.dto, plain, {
    excludeExtraneousValues: true,
    exposeDefaultValues: true,
    exposeUnsetFields: false,
  });
  const errors = await validate(dto, { forbidUnknownValues: false });
  for (const [path, problem] of errors.flatMap((error) => problemsOf(error, ''))) {
    // What the member itself is wrong with says more than which list it is missing from.
    if (!problems.has(path)) problems.set(path, problem);
  }
  // Where its values are named, that says more.
  for (const name of empty) if (!problems.has(name)) problems.set(name, `${name} must not be empty`);
  if (problems.size + unknown.length > 0)
    throw invalidInput([...new Set([...problems.values(), ...unknown])]);
  return dto;
}

/** The problems of a member and of those nested in it, each with its path. */
function problemsOf(
  { property, value, constraints = {}, children = [] }: ValidationError,
  parent: string,
): [string, string][] {
  // class-validator gives the elements of a list as properties named by their index.
  const path = /^\d+$/.test(property) ? `${parent.replace(/\.$/, '')}[${property}]` : parent + property;
  const own = problemOf(value, constraints, property) ?? '';
  const message = own.startsWith(`${property} `) ? path + own.slice(property.length) : own;
  return [
    ...(own === '' ? [] : [[path, message] satisfies [string, string]]),
    // Of a value that is no list where one is wanted, nothing within is worth a word.
    ...(own === '' || Array.isArray(value) ? children.flatMap((child) => problemsOf(child, `${path}.`)) : []),
  ];
}

/**
 * The problem of a member that says most. Of one that is missing no rule says more than that it is required, unless
 * `IsDefined` does. The rule that is written first is about its type; what the others say of a value of another type is of
 * no use.
 */
function problemOf(
  value: unknown,
  constraints: Readonly<Record<string, string>>,
  property: string,
): string | undefined {
  // class-validator goes through the rules from the last one to the first, and through those of nested values at the end.
  const { nestedValidation, ...others } = constraints;
  const first = Object.values(others).at(-1) ?? nestedValidation;
  if (first === undefined || value !== undefined) return first;
  return constraints['isDefined'] ?? `${property} is required`;
}
