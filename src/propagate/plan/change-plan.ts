import {
  mappingOf,
  ownMember,
  sameJson,
  stringifyJson,
  type JsonObject,
  type PlatformName,
} from '@app/mapper';
import type { Prediction } from '../../platforms/connector';
import type { LeftField } from '../../outbox/command/left-field';
import { leadingPlatform } from './resolved/authority';
import type { ChangeContext, ConnectedPlatform } from './context/change-context';
import { stepForCopy } from './steps/copy-step';
import { stepForCreation } from './steps/creation-step';
import { stepForOrigin } from './steps/origin-step';
import { leftReadOnly } from './steps/left-field';
import type { PlannedWrite, PlatformIntention, PlatformStep } from './steps/platform-step';
import { resultOf, type StepResult } from './result/change-result';
import { canBeLost, refuseLostValues } from './result/extra-values';
import { checkRules } from './rules/check-rules';
import type { ChangeWarning } from './rules/broken-rule';
import { refuseLargeRecord } from './record-size';
import { resolveChange, type ResolvedChange } from './resolved/resolved-change';

/** Predicts the effect of a write on a record. Pure. */
export type Predict = (platform: PlatformName, write: PlannedWrite) => Prediction;

/** A change, planned for every connected platform. */
export interface ChangePlan {
  readonly change: ResolvedChange;
  /** In sending order: the leading platform comes first. */
  readonly steps: readonly PlatformStep[];
  /** Broken rules that warn and do not refuse. */
  readonly warnings: readonly ChangeWarning[];
}

/**
 * Plans a change. It refuses everything that can be refused before anything is written: also a record that would be
 * too large, a value that the next read would lose, and a change that a rule of the customer forbids.
 *
 * @throws ChangeRefused of every `RefusalKind`
 */
export function planChange(context: ChangeContext, predict: Predict): ChangePlan {
  const change = resolveChange(context);
  // Steps are planned in order of precedence, so that of several problems the same one is reported each time.
  const intentions = context.connected.map((connected) => ({
    platform: connected.platform,
    intention: intentionFor(context, change, connected),
  }));
  const steps = intentions.map(({ platform, intention }) =>
    stepFrom(context, change, platform, intention, predict),
  );
  let computed: JsonObject | undefined;
  const expectedObject = (): JsonObject =>
    (computed ??= resultOf(context, change, steps.map(expected)).object);
  // If a platform refuses the change, its own reason is more specific.
  if (canBeLost(context, change) && !steps.some(({ kind }) => kind === 'rejected')) {
    refuseLostValues(context, change, expectedObject());
  }
  const warnings = checkRules(context, change, steps, expectedObject);
  const first = leadingPlatform(context, [...change.values.keys(), ...change.restated.keys()]);
  const leading = (step: PlatformStep): number => (step.platform === first ? 0 : 1);
  return {
    change,
    warnings,
    steps: [...steps].sort((one, other) => leading(one) - leading(other)),
  };
}

function intentionFor(
  context: ChangeContext,
  change: ResolvedChange,
  connected: ConnectedPlatform,
): PlatformIntention {
  const state = context.copies.find((copy) => copy.platform === connected.platform);
  if (state === undefined) {
    const coming = context.coming.find(({ platform }) => platform === connected.platform);
    return coming === undefined
      ? stepForCreation(context, change, connected)
      : stepForComing(context, change, coming);
  }
  return state === context.origin
    ? stepForOrigin(context, change, state)
    : stepForCopy(context, change, state);
}

/** The step for a record that an open command creates. It waits for that command and then gets the record's ID. */
function stepForComing(
  context: ChangeContext,
  change: ResolvedChange,
  coming: ChangeContext['coming'][number],
): PlatformIntention {
  const intention = stepForCopy(context, change, coming);
  if (intention.kind !== 'write') return intention;
  return { ...intention, write: { ...intention.write, platformId: null } };
}

function stepFrom(
  context: ChangeContext,
  change: ResolvedChange,
  platform: PlatformName,
  intention: PlatformIntention,
  predict: Predict,
): PlatformStep {
  if (intention.kind !== 'write') return { platform, ...intention };
  const prediction = predict(platform, intention.write);
  if (prediction.status === 'rejected') {
    const { reason, isLock = false } = prediction;
    return { platform, kind: 'rejected', reason, isLock };
  }
  refuseLargeRecord(stringifyJson(prediction.payload), `the record on ${platform}`);
  const { payload, writes = intention.write.changes, sends = writes } = prediction;
  return {
    platform,
    ...intention,
    write: { ...intention.write, changes: writes },
    predicted: payload,
    sends,
    left: leftOf(context, change, platform, intention, writes, payload),
  };
}

/** The fields that a write leaves out: those of the plan, and those for which the connector writes no native field. */
function leftOf(
  { entityType, terms }: ChangeContext,
  { values, restated }: ResolvedChange,
  platform: PlatformName,
  { write, left }: Extract<PlatformIntention, { kind: 'write' }>,
  writes: PlannedWrite['changes'],
  predicted: JsonObject,
): readonly LeftField[] {
  if (left.length === 0 && writes.length === write.changes.length) return left;
  const mapping = mappingOf(platform, entityType, { variant: write.variant, own: terms.own });
  const fieldsIn = (changes: PlannedWrite['changes']): readonly string[] =>
    mapping.fieldsAt(changes.map(({ path }) => path));
  const sent = new Set(fieldsIn(writes));
  const dropped = fieldsIn(write.changes).filter(
    (field) => !sent.has(field) && (values.has(field) || restated.has(field)),
  );
  const all = [...left, ...dropped.map((field) => leftReadOnly(platform, field))];
  if (write.base !== undefined) return all;
  // A platform fills in read-only fields of a new record. The result may be the wanted value.
  const { data } = mapping.readOnce(predicted, write.currencies);
  return all.filter(({ field }) => {
    const wanted = values.get(field) ?? restated.get(field) ?? null;
    return !sameJson(wanted, ownMember(data, field) ?? null);
  });
}

/** The result of a step if the platform behaves as predicted. */
export function expected(step: PlatformStep): StepResult {
  return step.kind === 'write'
    ? { step, outcome: { status: 'applied', payload: step.predicted } }
    : { step, outcome: undefined };
}
