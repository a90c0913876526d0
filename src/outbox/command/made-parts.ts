import {
  isJsonArray,
  isJsonObject,
  ownMember,
  parseJsonText,
  stringifyJson,
  type JsonValue,
  type NativeChange,
} from '@app/mapper';
import type { PartialWrite } from '../../platforms/connector';
import { changesIn, storedChanges } from './stored-changes';

/** What a command has made while it is not decided, over all its attempts. */
export interface MadeParts extends PartialWrite {
  /** IDs of records that it created before an operator had it sent again without a look. */
  readonly formerly: readonly string[];
}

export const nothingMade: MadeParts = { formerly: [], changes: [] };

export function hasMade({ createdAs, formerly, changes }: MadeParts): boolean {
  return createdAs !== undefined || formerly.length > 0 || changes.length > 0;
}

/** What is made after an attempt that made more. The last value of a field counts. */
export function joinMade(before: MadeParts, more: PartialWrite | undefined): MadeParts {
  if (more === undefined) return before;
  const names = new Set(more.changes.map(fieldName));
  const createdAs = more.createdAs ?? before.createdAs;
  return {
    ...(createdAs !== undefined && { createdAs }),
    formerly: before.formerly,
    changes: [...before.changes.filter((change) => !names.has(fieldName(change))), ...more.changes],
  };
}

/** What was made, for a command that is sent once more without a look: what it creates now is another record. */
export function formerlyMade({ createdAs, formerly, changes }: MadeParts): MadeParts {
  return { formerly: [...formerly, ...(createdAs === undefined ? [] : [createdAs])], changes };
}

/** The name of a changed field, for people and for comparing. */
export function fieldName({ path }: Pick<NativeChange, 'path'>): string {
  return path.join('.');
}

/** As it is stored; null for nothing. */
export function madeText(made: MadeParts): string | null {
  if (!hasMade(made)) return null;
  const { createdAs = null, formerly, changes } = made;
  return stringifyJson({ created_as: createdAs, formerly, changes: storedChanges(changes) });
}

/** From its stored text. @throws Error when it is what is never stored */
export function madeFrom(text: string | null): MadeParts {
  const value: JsonValue = text === null ? null : parseJsonText(text);
  if (!isJsonObject(value)) return nothingMade;
  const createdAs = ownMember(value, 'created_as');
  const formerly = ownMember(value, 'formerly');
  return {
    ...(typeof createdAs === 'string' && { createdAs }),
    formerly: isJsonArray(formerly) ? formerly.map(String) : [],
    changes: changesIn(ownMember(value, 'changes')),
  };
}
