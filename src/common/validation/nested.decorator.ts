import { applyDecorators, type Type } from '@nestjs/common';
import { Type as Typed } from 'class-transformer';
import { ValidateNested } from 'class-validator';

const NESTED = Symbol('nested');

/** The member is a DTO of its own, or a list of them; its members are read and validated like those of the whole. */
export function Nested(dto: () => Type<object>): PropertyDecorator {
  return applyDecorators(Typed(dto), ValidateNested(), Reflect.metadata(NESTED, dto));
}

/** The DTO of a member that was declared with {@link Nested}. */
export function nestedTypeOf(dto: Type<object>, member: string): Type<object> | undefined {
  const type = Reflect.getMetadata(NESTED, dto.prototype as object, member) as
    (() => Type<object>) | undefined; // Set above only.
  return type?.();
}
