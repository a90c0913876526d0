import { isStorableText } from '@app/mapper';
import type { Type } from '@nestjs/common';
import { TransformationType } from 'class-transformer';
import { defaultMetadataStorage as conversions } from 'class-transformer/cjs/storage';
import { getMetadataStorage, ValidationTypes } from 'class-validator';
import { ownMember, type DtoShape } from './dto-shape';

/** The DTO of a valid value; undefined for every other one, and for those that only the libraries understand. */
export type FastPath = (value: unknown) => object | undefined;

type Rule = ReturnType<ReturnType<typeof getMetadataStorage>['getTargetValidationMetadatas']>[number];
/** A rule about a member of a DTO; a condition says whether the others count. */
type Check = (dto: object, value: unknown) => boolean;

/**
 * Gathers once what the libraries would look up for every value: the validators of a DTO. Undefined for one with DTOs in it, and
 * where a rule or a conversion is more than a call of a validator with the member.
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
    const dto = new Dto() as Record<string, unknown>; // Members are set by name: `Reflect` takes several times as long.
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
  const [condition] = constraints as [Check]; // What ValidateIf was given.
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

/** Whether class-transformer does more to a member than what its shape declares. */
function converts(dto: Type<object>, name: string): boolean {
  const transforms = conversions.findTransformMetadatas(dto, name, TransformationType.PLAIN_TO_CLASS);
  return (
    transforms.length !== 1 ||
    conversions.findTypeMetadata(dto, name) !== undefined ||
    conversions.findExposeMetadata(dto, name) !== undefined ||
    conversions.findExcludeMetadata(dto, name) !== undefined
  );
}
