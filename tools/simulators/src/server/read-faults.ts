import { isJsonArray, isJsonObject, ownMember, type JsonObject, type JsonValue } from '@app/mapper';
import type { Fault, FaultMatch } from './faults';

/** A request to the control port that cannot be carried out. The message is for its sender. */
export class ControlError extends Error {}

const kinds = [
  'delay',
  'reset_before',
  'reset_after',
  'hang',
  'status',
  'html',
  'truncate',
  'cut',
  'headers',
  'edit',
];

/**
 * Reads a fault, or a list of faults, in the form of the control port.
 *
 * @throws ControlError
 */
export function readFaults(value: JsonValue | undefined): readonly Fault[] {
  return (isJsonArray(value) ? value : [value]).map(readFault);
}

function readFault(value: JsonValue | undefined): Fault {
  if (!isJsonObject(value)) throw new ControlError('a fault is a JSON object');
  const kind = text(value, 'kind');
  const base = { match: readMatch(value), times: number(value, 'times') ?? 1 };
  const after = ownMember(value, 'after') === true;
  switch (kind) {
    case 'reset_before':
    case 'reset_after':
    case 'hang':
    case 'truncate':
    case 'cut':
      return { ...base, kind };
    case 'delay':
      return { ...base, kind, ms: number(value, 'ms') ?? 0, after };
    case 'status':
    case 'html': {
      const status = number(value, 'status');
      const body = text(value, 'text');
      return {
        ...base,
        kind,
        effect: ownMember(value, 'effect') === true,
        headers: readHeaders(value),
        ...(status === undefined ? {} : { status }),
        ...(body === undefined ? {} : { text: body }),
      };
    }
    case 'headers':
      return { ...base, kind, headers: readHeaders(value) };
    case 'edit': {
      const edit = text(value, 'edit');
      if (edit === undefined) throw new ControlError('"edit" names an edit of POST /state/<edit>');
      return { ...base, kind, edit, with: ownMember(value, 'with') ?? {}, after };
    }
    default:
      throw new ControlError(`"kind" is one of ${kinds.join(', ')}`);
  }
}

function readMatch(fault: JsonObject): FaultMatch {
  const match = ownMember(fault, 'match') ?? {};
  if (!isJsonObject(match)) throw new ControlError('"match" is a JSON object');
  const method = text(match, 'method');
  const path = text(match, 'path');
  const nth = number(match, 'nth');
  if (path !== undefined) checkExpression(path);
  return {
    ...(method === undefined ? {} : { method: method.toUpperCase() }),
    ...(path === undefined ? {} : { path }),
    ...(nth === undefined ? {} : { nth }),
  };
}

function checkExpression(path: string): void {
  try {
    new RegExp(path);
  } catch {
    throw new ControlError('"match.path" is a regular expression');
  }
}

function readHeaders(fault: JsonObject): Readonly<Record<string, string>> {
  const headers = ownMember(fault, 'headers') ?? {};
  if (!isJsonObject(headers)) throw new ControlError('"headers" is a JSON object');
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => {
      if (typeof value !== 'string' && typeof value !== 'number') {
        throw new ControlError(`header "${name}" is a text`);
      }
      return [name, String(value)];
    }),
  );
}

function text(object: JsonObject, member: string): string | undefined {
  const value = ownMember(object, member);
  if (value === undefined || typeof value === 'string') return value;
  throw new ControlError(`"${member}" is a text`);
}

function number(object: JsonObject, member: string): number | undefined {
  const value = ownMember(object, member);
  if (value === undefined || typeof value === 'number') return value;
  throw new ControlError(`"${member}" is a number`);
}
