import { applyDecorators, type Type } from '@nestjs/common';
import { ApiExtraModels, ApiSchema, getSchemaPath } from '@nestjs/swagger';
import { unionSchema } from './schemas/schema-names';

/** The description of a class that stands for one of several others. */
export interface OneOfClasses {
  /** Name of its schema. */
  readonly name: string;
  readonly description: string;
  /** The member that tells them apart. */
  readonly by: string;
  /** The classes, by the value that the member has in each. */
  readonly classes: Readonly<Record<string, Type<unknown>>>;
}

/** Describes a class without members as one of several others (`oneOf`), with a discriminator. */
export function OneOfClasses({ name, description, by, classes }: OneOfClasses): ClassDecorator {
  const choices = Object.entries(classes).map(([value, type]) => [value, schemaNameOf(type)] as const);
  // Nest describes each class as an object with properties. A union has neither of its own.
  const schema = { name, ...unionSchema(description, by, choices), type: undefined, properties: undefined };
  return applyDecorators(ApiExtraModels(...Object.values(classes)), ApiSchema(schema));
}

/** The name of a class's schema. */
export function schemaNameOf(type: Type<unknown>): string {
  return getSchemaPath(type).split('/').at(-1) ?? '';
}
