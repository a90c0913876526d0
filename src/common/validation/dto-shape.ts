import { isStorableText } from '@app/mapper';
import type { Type } from '@nestjs/common';
import { Transform } from 'class-transformer';
import { defaultMetadataStorage as conversions } from 'class-transformer/cjs/storage';
import { getMetadataStorage, ValidationTypes } from 'class-validator';

/** What a DTO declares: the members that have a rule, and the DTOs of those with `ValidateNested` and `Type`. */
export interface DtoShape {
  readonly dto: Type<object>;
  readonly members: readonly { readonly name: string; readonly nested: DtoShape | undefined }[];
}

const shapes = new WeakMap<Type<object>, DtoShape>();

/** The shape of a DTO, found once. Finding it makes class-transformer hand on what {@link plainFor} seals. */
export function shapeOf(dto: Type<object>): DtoShape {
  const known = shapes.get(dto);
  if (known !== undefined) return known;
  const rules = getMetadataStorage().getTargetValidationMetadatas(dto, '', false, false);
  const names = [...new Set(rules.map(({ propertyName }) => propertyName))];
  const nests = rules.filter(({ type }) => type === ValidationTypes.NESTED_VALIDATION);
  const shape = {
    dto,
    members: names.map((name) => {
      Transform(opened)(dto.prototype as object, name);
      if (!nests.some(({ propertyName }) => propertyName === name)) return { name, nested: undefined };
      const nested = conversions.findTypeMetadata(dto, name).typeFunction() as Type<object>; // A DTO is a class.
      return { name, nested: shapeOf(nested) };
    }),
  };
  shapes.set(dto, shape);
  return shape;
}

/** What is wrong, by the path of the member. */
export type Problems = Map<string, string>;

/**
 * A plain object for class-transformer: the declared own members of a value, and nothing else. Whatever is an object
 * without a DTO of its own goes through sealed and comes out as the very value that was parsed: class-transformer copies
 * deep, loses `__proto__`, trips over `constructor` and takes exact numbers apart.
 */
export function plainFor(shape: DtoShape, value: unknown, path: string, problems: Problems): object {
  const plain: Record<string, unknown> = {};
  for (const { name, nested } of shape.members) {
    const member = ownMember(value, name);
    if (member === undefined) continue;
    plain[name] = plainMember(nested, member, path + name, problems);
  }
  return plain;
}

function plainMember(
  nested: DtoShape | undefined,
  member: unknown,
  path: string,
  problems: Problems,
): unknown {
  if (typeof member === 'string') {
    if (!isStorableText(member))
      problems.set(path, `${path} must not contain a NUL character or half of a surrogate pair`);
    return member;
  }
  if (typeof member !== 'object' || member === null) return member;
  if (nested === undefined) return sealed(member);
  if (!Array.isArray(member)) return plainFor(nested, member, `${path}.`, problems);
  // A list in the list is no DTO, and neither is null. class-validator would look into the inner list.
  return member.map((element: unknown, index) =>
    Array.isArray(element) ? null : plainMember(nested, element, `${path}[${index}]`, problems),
  );
}

/** A member that a value has itself; undefined when it has none, or inherits it. */
export function ownMember(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  return Object.getOwnPropertyDescriptor(value, name)?.value;
}

/** A value on its way through class-transformer, which walks into objects but hands functions on. */
type Seal = () => object;

function sealed(content: object): Seal {
  return () => content;
}

// No value that was parsed is a function, so this can only be a seal.
function opened({ value }: { value: unknown }): unknown {
  return typeof value === 'function' ? (value as Seal)() : value;
}
