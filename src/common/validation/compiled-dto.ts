import { isStorableText } from '@app/mapper';
import type { Type } from '@nestjs/common';
import { TransformationType } from 'class-transformer';
import { defaultMetadataStorage } from 'class-transformer/cjs/storage';
import { getMetadataStorage, ValidationTypes, type ValidatorConstraintInterface } from 'class-validator';
import { ownMember, type DtoShape } from './dto-shape';

type Rule = ReturnType<ReturnType<typeof getMetadataStorage>['getTargetValidationMetadatas']>[number];

/** A rule with a validator of class-validator's, and what this is told each time. */
interface Check {
  readonly constraint: ValidatorConstraintInterface;
  readonly constraints: unknown[];
  readonly targetName: string;
}

/** A DTO under construction. Members are set as they are named: `Reflect` takes several times as long. */
type Instance = Record<string, unknown>;

interface Member {
  readonly name: string;
  readonly nested: CompiledDto | undefined;
  readonly conditions: readonly Rule[];
  readonly checks: readonly Check[];
}

/** A DTO whose rules were gathered once. */
export interface CompiledDto {
  readonly dto: Type<object>;
  readonly members: readonly Member[];
}

/**
 * Gathers what the libraries would look up for every value: the validators of a DTO and of those nested in it.
 *
 * @returns undefined for a DTO with a rule or a conversion that {@link validDto} does not know
 */
export function compiledDto(dto: Type<object>, shape: DtoShape): CompiledDto | undefined {
  const rules = getMetadataStorage().getTargetValidationMetadatas(dto, '', false, false);
  const members: Member[] = [];
  for (const { name, nested: inner } of shape.members) {
    const own = rules.filter(({ propertyName }) => propertyName === name);
    const nested = inner && compiledDto(inner.dto, inner);
    const validates = own.some(({ type }) => type === ValidationTypes.NESTED_VALIDATION);
    if ((inner !== undefined) !== validates || (inner !== undefined && nested === undefined))
      return undefined;
    const checks = own.map((rule) => checksOf(rule, dto.name));
    if (!checks.every((known) => known !== undefined) || converts(dto, name, inner !== undefined))
      return undefined;
    const conditions = own.filter(({ type }) => type === ValidationTypes.CONDITIONAL_VALIDATION);
    members.push({ name, nested, conditions, checks: checks.flat() });
  }
  return { dto, members };
}

function checksOf(rule: Rule, targetName: string): readonly Check[] | undefined {
  const { type, groups, each, validateIf, constraintCls } = rule;
  if ((groups as readonly string[] | undefined)?.length || each || validateIf !== undefined) return undefined;
  if (type === ValidationTypes.CONDITIONAL_VALIDATION || type === ValidationTypes.NESTED_VALIDATION)
    return [];
  if (type !== ValidationTypes.CUSTOM_VALIDATION && type !== ValidationTypes.IS_DEFINED) return undefined;
  const constraints = getMetadataStorage().getTargetValidatorConstraints(constraintCls);
  if (constraints.some(({ async }) => async)) return undefined;
  return constraints.map(({ instance }) => ({
    constraint: instance,
    constraints: rule.constraints as unknown[],
    targetName,
  }));
}

/** Whether class-transformer would do more to a member than make the DTOs nested in it. */
function converts(dto: Type<object>, name: string, isNested: boolean): boolean {
  const storage = defaultMetadataStorage;
  const transforms = storage.findTransformMetadatas(dto, name, TransformationType.PLAIN_TO_CLASS);
  return (
    (storage.findTypeMetadata(dto, name) !== undefined) !== isNested ||
    storage.findExcludeMetadata(dto, name) !== undefined ||
    Object.keys(storage.findExposeMetadata(dto, name).options).length > 0 ||
    transforms.length !== 1 // The one that every DTO's shape declares.
  );
}

/**
 * The DTO of a valid value, as class-transformer and class-validator would have it. Undefined for every other value, and
 * for some valid ones of unusual form: only the libraries themselves can say more about those.
 */
export function validDto({ dto: Dto, members }: CompiledDto, value: unknown): object | undefined {
  const dto = new Dto() as Instance;
  for (const { name, nested } of members) {
    const member = ownMember(value, name);
    if (member === undefined) continue;
    if (typeof member === 'string' && !isStorableText(member)) return undefined;
    const made = nested === undefined ? member : nestedDto(nested, member);
    if (made === undefined) return undefined;
    dto[name] = made;
  }
  for (const member of members) if (!holds(member, dto)) return undefined;
  return dto;
}

function nestedDto(nested: CompiledDto, member: unknown): object | undefined {
  if (typeof member !== 'object' || member === null) return undefined;
  if (!Array.isArray(member)) return validDto(nested, member);
  const made: object[] = [];
  for (const element of member) {
    if (typeof element !== 'object' || element === null || Array.isArray(element)) return undefined;
    const dto = validDto(nested, element);
    if (dto === undefined) return undefined;
    made.push(dto);
  }
  return made;
}

function holds({ name, nested, conditions, checks }: Member, dto: Instance): boolean {
  const value = dto[name];
  for (const { constraints } of conditions) {
    const [applies] = constraints as [(dto: object, value: unknown) => boolean]; // What ValidateIf was given.
    if (!applies(dto, value)) return true;
  }
  // A member that is missing has nothing nested to look into, which a rule of its own may allow.
  if (nested !== undefined && value === null) return false;
  for (const { constraint, constraints, targetName } of checks) {
    const args = { targetName, property: name, object: dto, value, constraints };
    if (constraint.validate(value, args) !== true) return false;
  }
  return true;
}
