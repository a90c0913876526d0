import {
  assembleObject,
  stringifyJson,
  type AssembledObject,
  type JsonObject,
  type JsonValue,
} from '@app/mapper';
import type { KnownVersions } from '../../../common/request/if-match';
import type { LoadedObject } from '../../../records/loaded-object';
import { versionOf } from '../../../records/objects/object-version';
import type { ChangeContext } from './change-context';

/** The version of an object in every read. */
export function versionOfObject(
  { copies }: Pick<LoadedObject, 'copies'>,
  { object, disagreements }: Pick<AssembledObject, 'object' | 'disagreements'>,
): string {
  return versionOf({
    text: stringifyJson(object),
    records: copies.map(({ platform, platformId }) => ({ platform, platform_id: platformId })),
    disagreements,
    isDeleted: false,
  });
}

/** The version of the object before the change. */
export function versionNow({ object, terms }: Pick<ChangeContext, 'object' | 'terms'>): string {
  return versionOfObject(object, assembleObject(object, terms));
}

/** A change by a writer with an outdated version of the object. Thrown before anything is written. */
export class StaleWriter extends Error {
  override readonly name = 'StaleWriter';

  constructor(
    readonly canonicalId: string,
    /** The versions that the writer named. */
    readonly known: readonly string[],
    /** The present canonical fields. */
    readonly theirs: JsonObject,
    /** The canonical fields that the change names. */
    readonly wanted: ReadonlyMap<string, JsonValue>,
  ) {
    super('The object has changed since');
  }
}

/** @throws StaleWriter unless the object has one of the writer's versions */
export function refuseStale(context: ChangeContext, known: KnownVersions | undefined): void {
  const { object, canonical, requested } = context;
  if (known === undefined || known === '*') return;
  if (known.includes(versionNow(context))) return;
  const wanted = new Map([...requested.restated, ...requested.fields]);
  throw new StaleWriter(object.id, known, canonical, wanted);
}
