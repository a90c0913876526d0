import { Injectable, type ArgumentMetadata, type PipeTransform, type Type } from '@nestjs/common';
import { plainToInstance } from 'class-transformer';
import { validate, type ValidationError } from 'class-validator';
import { invalidInput } from '../errors/api-error';
import { ownMember, plainFor, shapeOf, type DtoShape, type Problems } from './dto-shape';

/**
 * Turns a body or a query into its DTO by class-transformer and validates it by class-validator. Members that the DTO does
 * not declare are ignored. Nest's ValidationPipe is not used because it hands all of the body to class-transformer, which
 * does not leave free-form `data` as it was sent; see {@link plainFor}.
 */
@Injectable()
export class DtoPipe implements PipeTransform<unknown, Promise<unknown>> {
  async transform(value: unknown, { metatype, type }: ArgumentMetadata): Promise<unknown> {
    if (metatype === undefined || (type !== 'body' && type !== 'query')) return value;
    const dtoType = metatype as Type<object>; // Nest's type allows primitives, which have no rules.
    const shape = shapeOf(dtoType);
    if (shape.members.length === 0) return value;

    const problems: Problems = new Map();
    const plain = plainFor(shape, value, '', problems);
    if (type === 'query') refuseRepeated(shape, value, problems);
    const dto = plainToInstance(dtoType, plain, {
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
}

function refuseRepeated(shape: DtoShape, value: unknown, problems: Problems): void {
  for (const { name } of shape.members) {
    // A parsed query holds a list where a name is repeated.
    if (Array.isArray(ownMember(value, name))) problems.set(name, `${name} must be given only once`);
  }
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
