import { levelOf, type JsonObject } from '@app/mapper';
import type { ChangeContext } from '../context/change-context';
import type { PlatformStep } from '../steps/platform-step';
import { untranslatable } from '../refusal';
import type { ResolvedChange } from '../resolved/resolved-change';
import type { BrokenRule, ChangeWarning } from './broken-rule';
import { currenciesUnlikeContract } from './currency-unlike-contract';
import { brokenSums } from './sum-rule';
import { billedAboveContract, paidAboveBilled } from './sums';

/**
 * Checks a change against the rules, with the levels agreed with the customer.
 *
 * @param expected the object after the change, with the values that platforms compute
 * @returns broken rules that only warn
 * @throws ChangeRefused `untranslatable` with all rules that refuse, each with both numbers
 */
export function checkRules(
  context: ChangeContext,
  change: ResolvedChange,
  steps: readonly PlatformStep[],
  expected: () => JsonObject,
): readonly ChangeWarning[] {
  const { rules } = context.terms;
  // A native field without a mapping has no canonical name.
  const pathOf = (field: string): string =>
    field === '' ? (context.requested.native?.changes[0]?.path.join('.') ?? field) : change.pathOf(field);
  const broken = [
    ...brokenSums(paidAboveBilled, context, change, expected),
    ...brokenSums(billedAboveContract, context, change, expected),
    ...currenciesUnlikeContract(context, steps),
    ...lockedWrites(context, change, steps),
  ].filter(({ rule }) => levelOf(rule, rules) !== 'off');
  const refused = broken.filter((one) => refuses(one, context));
  if (refused.length > 0) {
    throw untranslatable(refused.map(({ field, message }) => ({ path: pathOf(field), problem: message })));
  }
  return broken.map(({ by: _, field, ...warning }) => ({ ...warning, field: pathOf(field) }));
}

/**
 * Whether a broken rule refuses the change. Moving a record to another parent corrects a wrong link, often before the
 * amounts are corrected, so a rule that refuses by default only warns about a move. It refuses the move if the customer
 * has set it to refuse.
 */
function refuses({ rule, by }: BrokenRule, { terms }: ChangeContext): boolean {
  if (by === 'unknown') return false;
  return by === 'moves' ? terms.rules[rule] === 'refuse' : levelOf(rule, terms.rules) === 'refuse';
}

/** Writes to fields that a platform has locked, if that is known without a call. */
function lockedWrites(
  { requested }: ChangeContext,
  { values, restated }: ResolvedChange,
  steps: readonly PlatformStep[],
): readonly BrokenRule[] {
  const [field = ''] = [...values.keys(), ...(requested.native ? [] : restated.keys())];
  return steps.flatMap((step): BrokenRule[] =>
    step.kind === 'rejected' && step.isLock
      ? [
          {
            rule: 'locked_on_platform',
            field,
            by: 'breaks',
            message: `${step.platform} has locked the record: ${step.reason}`,
            platform: step.platform,
          },
        ]
      : [],
  );
}
