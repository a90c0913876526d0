import {
  isJsonArray,
  isJsonObject,
  isMoney,
  isPlatformName,
  ownMember,
  ruleNames,
  type JsonObject,
  type JsonValue,
} from '@app/mapper';
import { leftIn } from '../outbox/command/left-field';
import type { ChangeWarning } from './plan/rules/broken-rule';
import {
  propagationStatuses,
  type FieldConversionResponse,
  type PropagatedEntry,
} from './propagate.response';

/** The outcome of a change on one platform, as the history of the change stores it. */
export type StoredOutcome = Pick<
  PropagatedEntry,
  'status' | 'created' | 'reason' | 'left' | 'conversion' | 'conversions'
>;

type Conversion = NonNullable<PropagatedEntry['conversion']>;

/**
 * Reads the outcome on one platform from the history of a change. Pure.
 *
 * @throws Error if the value is no outcome. Only a defect of this service can store such a value
 */
export function readStoredOutcome(stored: JsonValue | undefined): StoredOutcome {
  const status = propagationStatuses.find((known) => known === memberOf(stored, 'status'));
  if (status === undefined || !isJsonObject(stored)) throw new Error('A kept outcome cannot be read');
  const reason = ownMember(stored, 'reason');
  const left = leftIn(stored);
  const conversion = ownMember(stored, 'conversion');
  const conversions = ownMember(stored, 'conversions');
  return {
    status,
    ...(ownMember(stored, 'created') === true && { created: true }),
    ...(typeof reason === 'string' && { reason }),
    ...(left.length > 0 && { left }),
    ...(conversion !== undefined && { conversion: conversionFrom(conversion) }),
    ...(isJsonArray(conversions) && { conversions: conversions.map(fieldConversionFrom) }),
  };
}

/**
 * Reads the warnings that a change was made with. Warnings of rules that this release does not know are left out. Pure.
 *
 * @throws Error if a warning lacks its field or its message
 */
export function readStoredWarnings(report: JsonObject): readonly ChangeWarning[] {
  const warnings = ownMember(report, 'warnings');
  return isJsonArray(warnings) ? warnings.flatMap(warningFrom) : [];
}

function warningFrom(stored: JsonValue): readonly ChangeWarning[] {
  const rule = ruleNames.find((known) => known === memberOf(stored, 'rule'));
  if (rule === undefined) return [];
  const [amount, limit, platform] = ['amount', 'limit', 'platform'].map((name) => memberOf(stored, name));
  return [
    {
      rule,
      field: textOf(stored, 'field'),
      message: textOf(stored, 'message'),
      ...(isMoney(amount) && { amount }),
      ...(isMoney(limit) && { limit }),
      ...(typeof platform === 'string' && isPlatformName(platform) && { platform }),
    },
  ];
}

function conversionFrom(stored: JsonValue): Conversion {
  const via = memberOf(stored, 'via');
  return {
    from: textOf(stored, 'from'),
    to: textOf(stored, 'to'),
    rate: textOf(stored, 'rate'),
    source: textOf(stored, 'source'),
    ...(memberOf(stored, 'inverted') === true && { inverted: true }),
    ...(typeof via === 'string' && { via }),
    rounding: 'half_even',
  };
}

function fieldConversionFrom(stored: JsonValue): FieldConversionResponse {
  return { field: textOf(stored, 'field'), ...conversionFrom(stored) };
}

function memberOf(value: JsonValue | undefined, name: string): JsonValue | undefined {
  return isJsonObject(value) ? ownMember(value, name) : undefined;
}

function textOf(value: JsonValue, name: string): string {
  const text = memberOf(value, name);
  if (typeof text !== 'string') throw new Error(`What is kept of a change has no ${name}`);
  return text;
}
