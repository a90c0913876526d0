import { stringifyJson, type JsonObject, type PlatformName } from '@app/mapper';
import { leadingPlatform } from './authority';
import type { ChangeContext, ConnectedPlatform } from './change-context';
import { stepForCopy } from './copy-step';
import { stepForCreation } from './creation-step';
import { stepForOrigin } from './origin-step';
import type { PlannedWrite, PlatformIntention, PlatformStep } from './platform-step';
import { resultOf, type StepResult } from './change-result';
import { changesWords, refuseLostWords } from './extra-values';
import { refuseLargeRecord } from './record-size';
import { resolveChange, type ResolvedChange } from './resolved-change';

/** What a write is expected to make of a record. Pure. */
export type Predict = (
  platform: PlatformName,
  write: PlannedWrite,
) =>
  | { readonly status: 'applied'; readonly payload: JsonObject }
  | { readonly status: 'rejected'; readonly reason: string };

/** A change, worked out for every connected platform. */
export interface ChangePlan {
  readonly change: ResolvedChange;
  /** In the order in which they are sent: the platform whose value counts comes first. */
  readonly steps: readonly PlatformStep[];
}

/**
 * Plans a change. Whatever can be refused is refused here, before anything is written: also a record that would be too
 * large, and a word that would be gone with the next read.
 *
 * @throws ChangeRefused
 */
export function planChange(context: ChangeContext, predict: Predict): ChangePlan {
  const change = resolveChange(context);
  // Worked out in order of precedence, so that of several problems the same one is named each time.
  const intentions = context.connected.map((connected) => ({
    platform: connected.platform,
    intention: intentionFor(context, change, connected),
  }));
  const steps = intentions.map(({ platform, intention }) => stepFrom(platform, intention, predict));
  if (changesWords(context, change)) {
    refuseLostWords(context, change, resultOf(context, change, steps.map(expected)).object);
  }
  const first = leadingPlatform(context, [...change.values.keys(), ...change.restated.keys()]);
  const leading = (step: PlatformStep): number => (step.platform === first ? 0 : 1);
  return { change, steps: [...steps].sort((one, other) => leading(one) - leading(other)) };
}

function intentionFor(
  context: ChangeContext,
  change: ResolvedChange,
  connected: ConnectedPlatform,
): PlatformIntention {
  const state = context.copies.find((copy) => copy.platform === connected.platform);
  if (state === undefined) return stepForCreation(context, change, connected);
  return state === context.origin
    ? stepForOrigin(context, change, state)
    : stepForCopy(context, change, state);
}

function stepFrom(platform: PlatformName, intention: PlatformIntention, predict: Predict): PlatformStep {
  if (intention.kind !== 'write') return { platform, ...intention };
  const prediction = predict(platform, intention.write);
  if (prediction.status === 'rejected') return { platform, kind: 'rejected', reason: prediction.reason };
  refuseLargeRecord(stringifyJson(prediction.payload), `the record on ${platform}`);
  return { platform, ...intention, predicted: prediction.payload };
}

/** A step as if the platform did what is expected of it. */
export function expected(step: PlatformStep): StepResult {
  return step.kind === 'write'
    ? { step, outcome: { status: 'applied', payload: step.predicted } }
    : { step, outcome: undefined };
}
