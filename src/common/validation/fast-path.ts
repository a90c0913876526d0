import { isStorableText } from '@app/mapper';
import type { Type } from '@nestjs/common';
import { TransformationType } from 'class-transformer';
import { defaultMetadataStorage as conversions } from 'class-transformer/cjs/storage';
import { getMetadataStorage, ValidationTypes } from 'class-validator';
import { ownMember, type DtoShape } from './dto-shape';

/** Makes the DTO of a valid value; undefined for any other value, and for values that only the libraries can check. */
export type FastPath = (value: unknown) => object | undefined;

type Rule = ReturnType<ReturnType<typeof getMetadataStorage>['getTargetValidationMetadatas']>[number];
/** A rule for a member of a DTO. A condition decides whether the member's other rules apply. */
type Check = (dto: object, value: unknown) => boolean;

/**
 * Collects a DTO's validators once, which the libraries look up for every value. Undefined for a DTO with nested DTOs,
 * and if a rule or a conversion needs more than a call of a validator with the member.
 */
export function fastPathOf({ dto: Dto, members }: DtoShape): FastPath | undefined {
  const rules = getMetadataStorage().getTargetValidationMetadatas(Dto, '', false, false);
  if (!rules.every(isPlain) || members.some(({ nested }) => nested !== undefined)) return undefined;
  const known = members.map(({ name }) => {
    const own = rules.filter(({ propertyName }) => propertyName === name);
    const [conditions, others] = [own.filter(isCondition), own.filter((rule) => !isCondition(rule))];
    return {
      name,
      isConverted: converts(Dto, name),
      conditions: conditions.map(applies),
      checks: others.flatMap(checksOf),
    };
  });
  return (value) => {
    const dto = new Dto() as Record<string, unknown>; // Sets members by name, because `Reflect` takes several times as long.
    for (const { name, isConverted } of known) {
      const member = ownMember(value, name);
      if (member === undefined) continue;
      if (isConverted || (typeof member === 'string' && !isStorableText(member))) return undefined;
      dto[name] = member;
    }
    const isValid = known.every(({ name, conditions, checks }) => {
      const holds = (check: Check): boolean => check(dto, dto[name]);
      return !conditions.every(holds) || checks.every(holds);
    });
    return isValid ? dto : undefined;
  };
}

function isCondition({ type }: Rule): boolean {
  return type === ValidationTypes.CONDITIONAL_VALIDATION;
}

function isPlain(rule: Rule): boolean {
  const isKnown = rule.type === ValidationTypes.CUSTOM_VALIDATION || rule.type === ValidationTypes.IS_DEFINED;
  const validators = getMetadataStorage().getTargetValidatorConstraints(rule.constraintCls);
  const groups = rule.groups as readonly string[] | undefined;
  if (groups?.length || rule.each || rule.validateIf !== undefined) return false;
  return isCondition(rule) || (isKnown && !validators.some(({ async }) => async));
}

function applies({ constraints }: Rule): Check {
  const [condition] = constraints as [Check]; // The condition of ValidateIf.
  return condition;
}

function checksOf({ constraintCls, constraints, propertyName, target }: Rule): readonly Check[] {
  const targetName = typeof target === 'string' ? target : target.name;
  return getMetadataStorage()
    .getTargetValidatorConstraints(constraintCls)
    .map(({ instance }): Check => (object, value) => {
      const args = {
        targetName,
        property: propertyName,
        object,
        value,
        constraints: constraints as unknown[],
      };
      return instance.validate(value, args) === true;
    });
}

/** Whether class-transformer converts a member beyond its shape's declarations. */
function converts(dto: Type<object>, name: string): boolean {
  const transforms = conversions.findTransformMetadatas(dto, name, TransformationType.PLAIN_TO_CLASS);
  return (
    transforms.length !== 1 ||
    conversions.findTypeMetadata(dto, name) !== undefined ||
    conversions.findExposeMetadata(dto, name) !== undefined ||
    conversions.findExcludeMetadata(dto, name) !== undefined
  );
}
