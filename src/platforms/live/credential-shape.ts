import type { Type } from '@nestjs/common';
import { ExactNumber, isJsonObject, ownMember, type JsonObject, type JsonValue } from '@app/mapper';
import { plainToInstance } from 'class-transformer';
import { getMetadataStorage, validateSync } from 'class-validator';
import { Secrets } from '../credentials/secrets';
import { invalidInput } from '../../common/errors/api-error';

/**
 * The form of a platform's credentials: two DTOs with rules. An operator gives the members of both side by side. The
 * members of `settings` are text or lists of text and may be shown; those of `secrets` are text and are stored
 * encrypted.
 */
export interface CredentialShape {
  readonly settings: Type<object>;
  readonly secrets: Type<object>;
}

/** Credentials that fit their platform's shape. */
export interface GivenCredentials {
  readonly settings: JsonObject;
  readonly secrets: Secrets;
}

/** Most problems that are named at once. */
const MOST_PROBLEMS = 20;

/**
 * Reads credentials that an operator gives.
 *
 * @throws ApiError VALIDATION_ERROR that names every wrong, missing and unknown member, and repeats no value
 */
export function credentialsIn(shape: CredentialShape, value: JsonValue): GivenCredentials {
  const known = [...membersOf(shape.settings), ...membersOf(shape.secrets)];
  if (!isJsonObject(value)) throw invalidInput([`expected a JSON object with ${known.join(', ')}`]);
  const problems = Object.keys(value)
    .filter((name) => !known.includes(name))
    .map((name) => `${JSON.stringify(shortened(name))} is no member that is known`);
  const settings = readMembers(shape.settings, value, problems);
  const secrets = readMembers(shape.secrets, value, problems);
  if (problems.length > 0) throw invalidInput(problems.slice(0, MOST_PROBLEMS));
  return { settings: settings.members, secrets: new Secrets(textsIn(secrets.members)) };
}

/**
 * Settings as they were stored, typed.
 *
 * @throws Error when they do not fit the type any more; the message names members, not values
 */
export function storedSettings<Settings extends object>(dto: Type<Settings>, stored: JsonObject): Settings {
  const problems: string[] = [];
  const { instance } = readMembers(dto, stored, problems);
  if (problems.length > 0) throw new Error(`The stored settings do not fit: ${problems.join('; ')}`);
  return instance;
}

/** The members of a shape that have a rule, by name. */
export function membersOf(dto: Type<object>): readonly string[] {
  const rules = getMetadataStorage().getTargetValidationMetadatas(dto, '', false, false);
  return [...new Set(rules.map(({ propertyName }) => propertyName))];
}

function readMembers<Members extends object>(
  dto: Type<Members>,
  value: JsonObject,
  problems: string[],
): { readonly instance: Members; readonly members: JsonObject } {
  const plain: Record<string, JsonValue> = {};
  for (const name of membersOf(dto)) {
    const member = ownMember(value, name);
    if (member !== undefined) plain[name] = isFlat(member) ? member : null;
  }
  const instance = plainToInstance(dto, plain);
  for (const { property, constraints = {} } of validateSync(instance, { stopAtFirstError: true })) {
    const given = Object.hasOwn(plain, property);
    problems.push(...(given ? Object.values(constraints) : [`${property} is missing`]));
  }
  // Text and lists of text, by the rules.
  const members = Object.entries(instance as Readonly<Record<string, JsonValue | undefined>>).filter(
    (entry): entry is [string, JsonValue] => entry[1] !== undefined,
  );
  return { instance, members: Object.fromEntries(members) };
}

/** No rule fits anything deeper, and nothing deeper is walked through. */
function isFlat(member: JsonValue): boolean {
  return Array.isArray(member) ? member.every(isScalar) : isScalar(member);
}

function isScalar(member: JsonValue): boolean {
  return typeof member !== 'object' || member === null || member instanceof ExactNumber;
}

function textsIn(members: JsonObject): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(members).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
}

function shortened(name: string): string {
  return name.length > 40 ? `${name.slice(0, 40)}…` : name;
}
