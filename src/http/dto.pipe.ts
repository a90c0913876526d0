import { isStorableText } from '@app/mapper';
import { Injectable, type ArgumentMetadata, type PipeTransform, type Type } from '@nestjs/common';
import { getMetadataStorage, validate } from 'class-validator';
import { invalidInput } from '../errors/api-error';

/**
 * Turns a body or a query into its DTO and validates it.
 *
 * Nest's ValidationPipe is not used because class-transformer copies values deep, and what it makes of free-form
 * `data` is not what was sent: members named `__proto__` or `constructor` are lost, exact numbers become plain objects.
 * Here only the members the DTO declares are taken over, each as the very value that was parsed; others are ignored.
 */
@Injectable()
export class DtoPipe implements PipeTransform<unknown, Promise<unknown>> {
  async transform(value: unknown, { metatype, type }: ArgumentMetadata): Promise<unknown> {
    if (metatype === undefined || (type !== 'body' && type !== 'query')) return value;
    const declared = declaredProperties(metatype);
    if (declared.length === 0) return value;

    const dto = instantiate(metatype);
    const problems = new Map<string, string>();
    for (const name of declared) {
      const member = ownMember(value, name);
      if (member === undefined) continue;
      dto[name] = member;
      const problem = problemOfMember(name, member, type);
      if (problem !== undefined) problems.set(name, problem);
    }
    for (const { property, constraints = {} } of await validate(dto, {
      forbidUnknownValues: false,
      stopAtFirstError: true,
    })) {
      // What the member itself is wrong with says more than which list it is missing from.
      if (!problems.has(property)) problems.set(property, Object.values(constraints).join(', '));
    }
    if (problems.size > 0) throw invalidInput([...new Set(problems.values())]);
    return dto;
  }
}

function instantiate(metatype: Type<unknown>): Record<string, unknown> {
  return new metatype() as Record<string, unknown>; // A DTO is a plain holder of its declared members.
}

const propertiesOf = new WeakMap<Type<unknown>, readonly string[]>();

function declaredProperties(metatype: Type<unknown>): readonly string[] {
  let names = propertiesOf.get(metatype);
  if (names === undefined) {
    const rules = getMetadataStorage().getTargetValidationMetadatas(metatype, '', false, false);
    names = [...new Set(rules.map(({ propertyName }) => propertyName))];
    propertiesOf.set(metatype, names);
  }
  return names;
}

function ownMember(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  return Object.getOwnPropertyDescriptor(value, name)?.value;
}

function problemOfMember(name: string, member: unknown, type: ArgumentMetadata['type']): string | undefined {
  if (type === 'query' && Array.isArray(member)) return `${name} must be given only once`;
  if (typeof member === 'string' && !isStorableText(member)) {
    return `${name} must not contain a NUL character or half of a surrogate pair`;
  }
  return undefined;
}
