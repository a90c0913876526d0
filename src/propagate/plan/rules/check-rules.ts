import { levelOf, type JsonObject } from '@app/mapper';
import type { ChangeContext } from '../change-context';
import type { PlatformStep } from '../platform-step';
import { untranslatable } from '../refusal';
import type { ResolvedChange } from '../resolved-change';
import type { BrokenRule, ChangeWarning } from './broken-rule';
import { currenciesUnlikeContract } from './currency-unlike-contract';
import { brokenSums } from './sum-rule';
import { billedAboveContract, paidAboveBilled } from './sums';

/**
 * Holds a change against the rules, by the levels that the customer has agreed to.
 *
 * @param expected the object as it will be, with what platforms compute
 * @returns what is broken and was not to be refused
 * @throws ChangeRefused `untranslatable` with all that is to be refused, each with both numbers
 */
export function checkRules(
  context: ChangeContext,
  change: ResolvedChange,
  steps: readonly PlatformStep[],
  expected: () => JsonObject,
): readonly ChangeWarning[] {
  const { rules } = context.terms;
  // A change of a native field that nothing is read from has no canonical one to name.
  const pathOf = (field: string): string =>
    field === '' ? (context.requested.native?.changes[0]?.path.join('.') ?? field) : change.pathOf(field);
  const broken = [
    ...brokenSums(paidAboveBilled, context, change, expected),
    ...brokenSums(billedAboveContract, context, change, expected),
    ...currenciesUnlikeContract(context, steps),
    ...locks(context, change, steps),
  ].filter(({ rule }) => levelOf(rule, rules) !== 'off');
  const refused = broken.filter((one) => refuses(one, context));
  if (refused.length > 0) {
    throw untranslatable(refused.map(({ field, message }) => ({ path: pathOf(field), problem: message })));
  }
  return broken.map(({ by: _, field, ...warning }) => ({ ...warning, field: pathOf(field) }));
}

/**
 * Putting a record under another one is how a wrong link is put right, often before the amounts are. So unless somebody has
 * said that the rule shall refuse, it warns of that.
 */
function refuses({ rule, by }: BrokenRule, { terms }: ChangeContext): boolean {
  if (by === 'unknown') return false;
  return by === 'moves' ? terms.rules[rule] === 'refuse' : levelOf(rule, terms.rules) === 'refuse';
}

/** Writes into what a platform has locked, where that is known before it is asked. */
function locks(
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
