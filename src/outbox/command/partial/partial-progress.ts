import {
  isJsonArray,
  isJsonObject,
  ownMember,
  parseJsonText,
  stringifyJson,
  type JsonValue,
  type NativeChange,
} from '@app/mapper';
import type { PartialWrite } from '../../../platforms/connector';
import { changesIn, storedChanges } from '../stored-changes';

/** The effects of an undecided command over all its attempts. */
export interface PartialProgress extends PartialWrite {
  /** IDs of records that the command created before an operator had it sent again without settling. */
  readonly formerly: readonly string[];
}

export const noProgress: PartialProgress = { formerly: [], changes: [] };

export function hasProgress({ createdAs, formerly, changes }: PartialProgress): boolean {
  return createdAs !== undefined || formerly.length > 0 || changes.length > 0;
}

/** Adds the effects of a further attempt. The last value of a field counts. */
export function addProgress(before: PartialProgress, more: PartialWrite | undefined): PartialProgress {
  if (more === undefined) return before;
  const names = new Set(more.changes.map(fieldName));
  const createdAs = more.createdAs ?? before.createdAs;
  return {
    ...(createdAs !== undefined && { createdAs }),
    formerly: before.formerly,
    changes: [...before.changes.filter((change) => !names.has(fieldName(change))), ...more.changes],
  };
}

/** The effects of a command that is sent again without settling. Its next creation makes another record. */
export function progressForResend({ createdAs, formerly, changes }: PartialProgress): PartialProgress {
  return { formerly: [...formerly, ...(createdAs === undefined ? [] : [createdAs])], changes };
}

/** The name of a changed field, for people and for comparing. */
export function fieldName({ path }: Pick<NativeChange, 'path'>): string {
  return path.join('.');
}

/** Serialises the effects; null if there are none. */
export function progressText(made: PartialProgress): string | null {
  if (!hasProgress(made)) return null;
  const { createdAs = null, formerly, changes } = made;
  return stringifyJson({ created_as: createdAs, formerly, changes: storedChanges(changes) });
}

/** Parses the stored text. @throws Error for an invalid text */
export function progressFrom(text: string | null): PartialProgress {
  const value: JsonValue = text === null ? null : parseJsonText(text);
  if (!isJsonObject(value)) return noProgress;
  const createdAs = ownMember(value, 'created_as');
  const formerly = ownMember(value, 'formerly');
  return {
    ...(typeof createdAs === 'string' && { createdAs }),
    formerly: isJsonArray(formerly) ? formerly.map(String) : [],
    changes: changesIn(ownMember(value, 'changes')),
  };
}
