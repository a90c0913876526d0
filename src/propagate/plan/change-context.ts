import type {
  FieldIssue,
  JsonObject,
  NativeReference,
  PlatformName,
  StoredEntityType,
  Terms,
} from '@app/mapper';
import type { ConnectionMode } from '../../platforms/connector';
import type { LoadedObject } from '../../records/stored-objects';
import type { Quotes } from './amounts';
import type { CopyState } from './copy-state';
import type { ExpectedRecords } from './expected-record';
import type { Figures } from './figures';
import type { FieldValues } from './intent';
import type { NativeIntent } from './native-intent';
import type { ReferredObjects } from './referred';

/** A connected platform, with the currency of what names none there. */
export interface ConnectedPlatform {
  readonly platform: PlatformName;
  readonly currency: string;
  readonly mode: ConnectionMode;
  /** The settings of a live connection as they are now, without secrets; null for a sandbox. */
  readonly settings: JsonObject | null;
}

/** A write to a platform that was accepted and is not decided, or that a person must look at. */
export interface EarlierCommand {
  readonly platform: PlatformName;
  readonly creates: boolean;
  readonly held: boolean;
}

/** The object about to change, and the records around it. */
export interface CurrentObjectState {
  /** The database's time, taken behind the locks: that of the change. */
  readonly at: string;
  readonly entityType: StoredEntityType;
  readonly object: LoadedObject;
  /** The canonical fields as they are. */
  readonly canonical: JsonObject;
  /** In order of precedence. */
  readonly copies: readonly CopyState[];
  /** In order of precedence. */
  readonly connected: readonly ConnectedPlatform[];
  readonly quotes: Quotes;
  /** What was agreed with the customer. */
  readonly terms: Terms;
  /** The record that a change in native form is for. */
  readonly origin: CopyState | undefined;
  readonly earlier: readonly EarlierCommand[];
  /** Records of the object that are still to be created, as the open commands will make them. Their native IDs are not known. */
  readonly coming: readonly CopyState[];
  /** Platforms that had a record of the object and do not have it any more. */
  readonly goneFrom: readonly PlatformName[];
}

/** Where writes to a platform go: to the platform itself, or to its sandbox. */
export function modeOf(
  { connected }: Pick<CurrentObjectState, 'connected'>,
  platform: PlatformName,
): ConnectionMode {
  return connected.find((one) => one.platform === platform)?.mode ?? 'sandbox';
}

/** The settings of the live connection to a platform, without secrets; undefined for a sandbox. */
export function settingsOf(
  { connected }: Pick<CurrentObjectState, 'connected'>,
  platform: PlatformName,
): JsonObject | undefined {
  return connected.find((one) => one.platform === platform)?.settings ?? undefined;
}

/** What a patch asks for, before it is known what its references and keys lead to. */
export interface RequestedChange {
  /** Fields that change, references in native form left out. */
  readonly fields: FieldValues;
  readonly restated: FieldValues;
  readonly references: ReadonlyMap<string, NativeReference | undefined>;
  readonly problems: readonly FieldIssue[];
  readonly native: NativeIntent | undefined;
  /** How the caller knows a field: a native path, or the canonical name. */
  readonly pathOf: (field: string) => string;
}

/** What the names and keys in a patch lead to. */
export interface ResolvedReferences {
  /** Objects by the canonical ID or alias that the patch names. */
  readonly canonical: ReadonlyMap<string, { readonly id: string; readonly entityType: StoredEntityType }>;
  /** Canonical IDs by the reference field of a native patch; fields that name nothing, or several, are left out. */
  readonly native: ReadonlyMap<string, string>;
  /** Platforms on which another object has the business key that this one would have. */
  readonly keyTakenOn: ReadonlySet<PlatformName>;
  /** The one invoice whose number a patch of a payment names. */
  readonly invoiceNamed: string | undefined;
}

/** All that a plan depends on. Plain data: a plan is a function of it and of nothing else. */
export interface ChangeContext extends CurrentObjectState {
  readonly requested: RequestedChange;
  readonly resolved: ResolvedReferences;
  /** The objects that the changed one refers to, or would refer to, and for one to be created those around them. */
  readonly referredObjects: ReferredObjects;
  /** Records of those objects that are still to be created. */
  readonly expected: ExpectedRecords;
  readonly figures: Figures;
}
