import {
  isJsonArray,
  isJsonObject,
  isPlatformName,
  ownMember,
  parseJsonText,
  type JsonObject,
  type JsonValue,
  type PlatformName,
} from '@app/mapper';
import type {
  CaseCandidate,
  CaseRecord,
  ComparedValue,
  ProjectsByPlatform,
  ValuesByPlatform,
} from '../cases.response';
import type { MoneySum } from '../../statement/statement.response';
import { caseFactsFrom, type CaseFacts } from './case-facts';

/** The content of a case besides the values for filtering and sorting. It depends on the kind of the case. */
export interface CaseDetail {
  readonly projects?: ProjectsByPlatform;
  readonly values?: ValuesByPlatform;
  readonly stands?: PlatformName;
  readonly why?: string;
  readonly missing_on?: PlatformName;
  readonly number?: string | null;
  readonly amount?: MoneySum | null;
  readonly problem?: string;
  readonly records: readonly CaseRecord[];
  readonly candidates: readonly CaseCandidate[];
}

/**
 * The detail of a case from its stored text, and the facts that are stored with it. Pure.
 *
 * @throws Error for any other text: only `casesOf` writes this column
 */
export function caseDetailFrom(text: string): { readonly shown: CaseDetail; readonly facts: CaseFacts } {
  const stored = objectOf(parseJsonText(text));
  return { shown: shownIn(stored), facts: caseFactsFrom(stored) };
}

function shownIn(stored: JsonObject): CaseDetail {
  const read = <Value>(name: string, from: (value: JsonValue) => Value): Value | undefined => {
    const value = ownMember(stored, name);
    return value === undefined ? undefined : from(value);
  };
  const projects = read('projects', projectsOf);
  const values = read('values', valuesOf);
  const stands = read('stands', platformOf);
  const why = read('why', textOf);
  const missing = read('missing_on', platformOf);
  const number = read('number', orNull(textOf));
  const amount = read('amount', orNull(sumOf));
  const candidates = read('candidates', (all) => listOf(all).map(candidateOf));
  const problem = read('problem', textOf);
  return {
    ...(projects !== undefined && { projects }),
    ...(values !== undefined && { values }),
    ...(stands !== undefined && { stands }),
    ...(why !== undefined && { why }),
    ...(missing !== undefined && { missing_on: missing }),
    ...(number !== undefined && { number }),
    ...(amount !== undefined && { amount }),
    ...(problem !== undefined && { problem }),
    records: read('records', (all) => listOf(all).map(recordOf)) ?? [],
    candidates: candidates ?? [],
  };
}

function recordOf(value: JsonValue): CaseRecord {
  return {
    platform: platformOf(member(value, 'platform')),
    platform_id: textOf(member(value, 'platform_id')),
  };
}

function candidateOf(value: JsonValue): CaseCandidate {
  return {
    ...recordOf(value),
    canonical_id: textOf(member(value, 'canonical_id')),
    linked: member(value, 'linked') === true,
  };
}

function projectsOf(value: JsonValue): ProjectsByPlatform {
  const projects: Partial<Record<PlatformName, string | null>> = {};
  for (const [platform, project] of Object.entries(objectOf(value))) {
    projects[platformOf(platform)] = orNull(textOf)(project);
  }
  return projects;
}

function valuesOf(value: JsonValue): ValuesByPlatform {
  const values: Partial<Record<PlatformName, ComparedValue>> = {};
  for (const [platform, one] of Object.entries(objectOf(value))) {
    values[platformOf(platform)] = {
      canonical: member(one, 'canonical'),
      native: member(one, 'native'),
      path: orNull(textOf)(member(one, 'path')),
    };
  }
  return values;
}

function sumOf(value: JsonValue): MoneySum {
  return { amount: member(value, 'amount'), currency: textOf(member(value, 'currency')) };
}

function orNull<Value>(from: (value: JsonValue) => Value): (value: JsonValue) => Value | null {
  return (value) => (value === null ? null : from(value));
}

function member(value: JsonValue, name: string): JsonValue {
  const found = ownMember(objectOf(value), name);
  if (found === undefined) throw new Error(`The detail of a case has no ${name}`);
  return found;
}

function objectOf(value: JsonValue): JsonObject {
  if (!isJsonObject(value)) throw new Error('The detail of a case is no JSON object');
  return value;
}

function listOf(value: JsonValue): readonly JsonValue[] {
  if (!isJsonArray(value)) throw new Error('The detail of a case has no list');
  return value;
}

function textOf(value: JsonValue): string {
  if (typeof value !== 'string') throw new Error('The detail of a case has no text');
  return value;
}

function platformOf(value: JsonValue): PlatformName {
  if (typeof value !== 'string' || !isPlatformName(value))
    throw new Error('The detail of a case names no platform');
  return value;
}
