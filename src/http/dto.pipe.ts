import type { ArgumentMetadata, PipeTransform, Type } from '@nestjs/common';
import { plainToInstance } from 'class-transformer';
import { validate, type ValidationError } from 'class-validator';
import { invalidInput } from '../errors/api-error';
import { compiledDto, validDto, type CompiledDto } from './compiled-dto';
import { ownMember, plainFor, shapeOf, type DtoShape, type Problems } from './dto-shape';

/**
 * Turns a body or a query into its DTO by class-transformer and validates it by class-validator. Members that the DTO does
 * not declare are ignored. A valid value of a usual form is recognised by the libraries' own rules, gathered once; see
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

    const repeated = type === 'query' ? repeatedIn(shape, value) : [];
    const compiled = this.compiledOf(dtoType, shape);
    const valid = compiled && repeated.length === 0 ? validDto(compiled, value) : undefined;
    return valid ?? readDto(shape, value, repeated);
  }

  private compiledOf(dto: Type<object>, shape: DtoShape): CompiledDto | undefined {
    if (!this.compiled.has(dto)) this.compiled.set(dto, compiledDto(dto, shape));
    return this.compiled.get(dto);
  }
}

/** The names that are given more than once: a parsed query holds a list there. */
function repeatedIn(shape: DtoShape, value: unknown): readonly string[] {
  const names = shape.members.map(({ name }) => name);
  return names.filter((name) => Array.isArray(ownMember(value, name)));
}

/**
 * Reads any value by the libraries themselves, and says what is wrong with one that is not valid.
 *
 * @param repeated members that may not be there as they are
 * @throws ApiError 400
 */
export async function readDto(
  shape: DtoShape,
  value: unknown,
  repeated: readonly string[] = [],
): Promise<object> {
  const problems: Problems = new Map();
  const plain = plainFor(shape, value, '', problems);
  for (const name of repeated) problems.set(name, `${name} must be given only once`);
  const dto = plainToInstance(shape.dto, plain, {
    excludeExtraneousValues: true,
    exposeDefaultValues: true,
    exposeUnsetFields: false,
  });
  const errors = await validate(dto, { forbidUnknownValues: false, stopAtFirstError: true });
  for (const [path, problem] of errors.flatMap((error) => problemsOf(error, ''))) {
    // What the member itself is wrong with says more than which list it is missing from.
    if (!problems.has(path)) problems.set(path, problem);
  }
  if (problems.size > 0) throw invalidInput([...new Set(problems.values())]);
  return dto;
}

/** The problems of a member and of those nested in it, each with its path. */
function problemsOf(
  { property, constraints, children = [] }: ValidationError,
  parent: string,
): [string, string][] {
  // class-validator gives the elements of a list as properties named by their index.
  const path = /^\d+$/.test(property) ? `${parent.replace(/\.$/, '')}[${property}]` : parent + property;
  const own = Object.values(constraints ?? {}).join(', ');
  const message = own.startsWith(`${property} `) ? path + own.slice(property.length) : own;
  return [
    ...(own === '' ? [] : [[path, message] satisfies [string, string]]),
    ...children.flatMap((child) => problemsOf(child, `${path}.`)),
  ];
}
