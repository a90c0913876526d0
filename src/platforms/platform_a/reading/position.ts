import { isJsonArray, isJsonObject, ownMember, type JsonObject, type JsonValue } from '@app/mapper';
import type { Checkpoint } from '../../connector';
import type { ListState } from '../wire/list';

/** Where a part of a scope resumes: one of its lists, a page of the list, and the finished records of the page. */
export interface PartState {
  /** Index of the list among the lists of the part. */
  readonly step: number;
  /** Null at the start of the list. */
  readonly list: ListState | null;
  /** IDs of the finished records of the page; for payments, the last contract whose payments are finished. */
  readonly done: readonly string[];
}

/** Marks by contract ID. A changed mark shows that the contract changed; see `marksOf`. */
export type ContractMarks = Readonly<Record<string, string>>;

/** Marks by project; null for a project with too many contracts to remember. */
export type MarksByProject = Readonly<Record<string, ContractMarks | null>>;

/** Where a reading of a scope resumes. */
export interface Position {
  /** When the reading began: ISO 8601, by the platform's clock. */
  readonly began: string;
  /** The project that is being read or was read last; empty for a scope of the company, and at the start. */
  readonly part: string;
  /** Null when that part is finished. */
  readonly state: PartState | null;
  /** What could not be read, in words. */
  readonly gaps: readonly string[];
  /** Projects that the account did not see when the reading began, or when it was resumed. */
  readonly unseen: readonly string[];
  /** Parts with a gap. */
  readonly open: readonly string[];
  /** For contracts and payments: the marks of the finished contracts. */
  readonly marks: MarksByProject;
}

/** The start of the next reading of changes of a scope. */
export interface Cursor {
  /** ISO 8601, by the platform's clock. */
  readonly since: string;
  /** The parts that the cursor covers. Other parts must be read completely. */
  readonly parts: readonly string[];
  /** Projects that the account saw earlier and that were not read now. Their records stay. */
  readonly lost: readonly string[];
  /** Parts with a gap. The marks do not name every contract of them. */
  readonly partial: readonly string[];
  /** The mark of each contract: when the contract was read, or for payments when its payments were read. */
  readonly marks: MarksByProject;
}

/** The position in a checkpoint; undefined without a checkpoint, and for an unreadable one. */
export function positionIn(checkpoint: Checkpoint | null): Position | undefined {
  if (!isJsonObject(checkpoint)) return undefined;
  const { began, part, state } = checkpoint;
  if (typeof began !== 'string' || typeof part !== 'string' || state === undefined) return undefined;
  const gaps = textsIn(checkpoint, 'gaps');
  const unseen = textsIn(checkpoint, 'unseen');
  const open = textsIn(checkpoint, 'open');
  const marks = marksIn(checkpoint);
  if (state === null) return { began, part, state, gaps, unseen, open, marks };
  const read = stateIn(state);
  return read && { began, part, state: read, gaps, unseen, open, marks };
}

/** The cursor that a scope is read from; undefined without a cursor, and for an unreadable one. */
export function cursorIn(since: Checkpoint | undefined): Cursor | undefined {
  if (since === undefined || !isJsonObject(since)) return undefined;
  const from = ownMember(since, 'since');
  if (typeof from !== 'string' || Number.isNaN(Date.parse(from))) return undefined;
  const [parts, lost, partial] = [textsIn(since, 'parts'), textsIn(since, 'lost'), textsIn(since, 'partial')];
  return { since: from, parts, lost, partial, marks: marksIn(since) };
}

/** A position as it is stored between pages. */
export function checkpointOf({ began, part, state, gaps, unseen, open, marks }: Position): Checkpoint {
  const list = state?.list ?? null;
  const stored =
    state === null
      ? null
      : {
          step: state.step,
          list: list && { url: list.url, count: list.count, total: list.total, pass: list.pass },
          done: state.done,
        };
  return { began, part, state: stored, gaps, unseen, open, marks };
}

function stateIn(value: JsonValue): PartState | undefined {
  if (!isJsonObject(value)) return undefined;
  const { step, list } = value;
  if (typeof step !== 'number' || list === undefined) return undefined;
  const done = textsIn(value, 'done');
  if (list === null) return { step, list, done };
  const read = isJsonObject(list) ? listIn(list) : undefined;
  return read && { step, list: read, done };
}

function listIn({ url, count, total, pass }: JsonObject): ListState | undefined {
  if (typeof url !== 'string' || typeof count !== 'number' || typeof pass !== 'number') return undefined;
  return { url, count, total: typeof total === 'number' ? total : null, pass };
}

function marksIn(object: JsonObject): MarksByProject {
  const projects = ownMember(object, 'marks');
  if (!isJsonObject(projects)) return {};
  return Object.fromEntries(
    Object.entries(projects).map(([project, contracts]) => [
      project,
      isJsonObject(contracts)
        ? Object.fromEntries(
            Object.entries(contracts).filter(
              (entry): entry is [string, string] => typeof entry[1] === 'string',
            ),
          )
        : null,
    ]),
  );
}

function textsIn(object: JsonObject, member: string): readonly string[] {
  const list = ownMember(object, member);
  return isJsonArray(list) ? list.filter((item) => typeof item === 'string') : [];
}
