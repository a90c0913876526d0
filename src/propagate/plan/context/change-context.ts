import type {
  FieldIssue,
  JsonObject,
  NativeReference,
  PlatformName,
  StoredEntityType,
  Terms,
} from '@app/mapper';
import type { ConnectionMode } from '../../../platforms/connector';
import type { LoadedObject } from '../../../records/loaded-object';
import type { Quotes } from '../amounts';
import type { CopyState } from '../state/copy-state';
import type { ExpectedRecords } from '../state/expected-record';
import type { Figures } from './figures';
import type { FieldValues } from '../intent/canonical-intent';
import type { NativeIntent } from '../intent/native-intent';
import type { ReferredObjects } from '../state/referred';

/** A platform to which the customer is connected. */
export interface ConnectedPlatform {
  readonly platform: PlatformName;
  /** ISO 4217 code of the connection's currency, which amounts have whose record names and inherits none. */
  readonly currency: string;
  readonly mode: ConnectionMode;
  /** The settings of a live connection as they are now, without secrets; null for a sandbox. */
  readonly settings: JsonObject | null;
}

/** A command of an earlier change of the object that is open or held. */
export interface EarlierCommand {
  readonly platform: PlatformName;
  /** Whether the command creates the platform's record. */
  readonly creates: boolean;
  /** Whether the command is held, which means that a person must decide about it. Otherwise it is open. */
  readonly held: boolean;
}

/** The present state of the object that changes. */
export interface CurrentObjectState {
  /** The database's time as text, read after the locks were taken. It is the time of the change. */
  readonly at: string;
  /** Whether the customer's comparisons were marked as behind before this change. The plan does not depend on it. */
  readonly comparisonsAreDue: boolean;
  readonly entityType: StoredEntityType;
  readonly object: LoadedObject;
  /** The present canonical fields. */
  readonly canonical: JsonObject;
  /** In order of precedence. */
  readonly copies: readonly CopyState[];
  /** In order of precedence. */
  readonly connected: readonly ConnectedPlatform[];
  readonly quotes: Quotes;
  /** The terms that were agreed with the customer. */
  readonly terms: Terms;
  /** The record that a change in native form names. */
  readonly origin: CopyState | undefined;
  readonly earlier: readonly EarlierCommand[];
  /** Records of the object that open commands will create, as predicted. Their native IDs are not known. */
  readonly coming: readonly CopyState[];
  /** Platforms on which the object's record was deleted. */
  readonly goneFrom: readonly PlatformName[];
}

/** Where commands for a platform go: to the platform itself or to its sandbox. */
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

/** The change that a patch requests, before its references and keys are resolved. */
export interface RequestedChange {
  /** Fields that change, references in native form left out. */
  readonly fields: FieldValues;
  /** Fields that the patch names with their present value. A platform with another value adopts it. */
  readonly restated: FieldValues;
  /** References that change, of a patch in native form; undefined for a reference that is cleared. */
  readonly references: ReadonlyMap<string, NativeReference | undefined>;
  /** Values that their fields cannot hold. */
  readonly problems: readonly FieldIssue[];
  /** Of a patch in native form: the native changes; undefined for a patch in canonical form. */
  readonly native: NativeIntent | undefined;
  /** Whether platforms that lack the record get it; undefined leaves it to the type and to the customer's rule. */
  readonly createMissing: boolean | undefined;
  /** The caller's name of a field: a native path or the canonical name. */
  readonly pathOf: (field: string) => string;
}

/** The objects that the names and keys in a patch resolve to. */
export interface ResolvedReferences {
  /** Objects by the canonical ID or alias that the patch names. */
  readonly canonical: ReadonlyMap<string, { readonly id: string; readonly entityType: StoredEntityType }>;
  /** By reference field of a native patch: the canonical ID. A field that matches none or several is left out. */
  readonly native: ReadonlyMap<string, string>;
  /** Platforms on which another object has the business key that this one would have. */
  readonly keyTakenOn: ReadonlySet<PlatformName>;
  /** The one invoice whose number a patch of a payment names. */
  readonly invoiceNamed: string | undefined;
}

/** Everything that a plan depends on, as plain data. A plan is a pure function of it. */
export interface ChangeContext extends CurrentObjectState {
  readonly requested: RequestedChange;
  readonly resolved: ResolvedReferences;
  /** The objects that the changed object refers to now or after the change. For a creation, also their neighbours. */
  readonly referredObjects: ReferredObjects;
  /** Records of those objects that open commands will create. */
  readonly expected: ExpectedRecords;
  /** Objects whose amounts are added up with that of the changed object, to check the customer's rules. */
  readonly figures: Figures;
}
