import { isStorableText } from '@app/mapper';
import type { Type } from '@nestjs/common';
import { Transform } from 'class-transformer';
import { defaultMetadataStorage as conversions } from 'class-transformer/cjs/storage';
import { getMetadataStorage, ValidationTypes } from 'class-validator';

/** The declarations of a DTO: the members with a rule, and the DTOs of members with `ValidateNested` and `Type`. */
export interface DtoShape {
  readonly dto: Type<object>;
  readonly members: readonly { readonly name: string; readonly nested: DtoShape | undefined }[];
}

const shapes = new WeakMap<Type<object>, DtoShape>();

/**
 * The shape of a DTO, determined once. Its first use also tells class-transformer to open the values that {@link
 * plainFor} seals.
 */
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

/** Problems by the path of the member. */
export type Problems = Map<string, string>;

/**
 * A plain object for class-transformer with the declared own members of a value, and nothing else. An object without a
 * DTO is sealed and comes out as the same value that was parsed. Otherwise class-transformer would copy it deeply, lose
 * `__proto__`, fail on `constructor` and break exact numbers.
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
  // A list within the list is no DTO, and neither is null. class-validator would validate the elements of the inner
  // list.
  return member.map((element: unknown, index) =>
    Array.isArray(element) ? null : plainMember(nested, element, `${path}[${index}]`, problems),
  );
}

/** A value's own member; undefined if the value lacks it or inherits it. */
export function ownMember(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  return Object.getOwnPropertyDescriptor(value, name)?.value;
}

/** Hides a value from class-transformer, which copies objects but passes functions on unchanged. */
type Seal = () => object;

function sealed(content: object): Seal {
  return () => content;
}

// Parsed JSON contains no function, so this is a seal.
function opened({ value }: { value: unknown }): unknown {
  return typeof value === 'function' ? (value as Seal)() : value;
}
