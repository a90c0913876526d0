import {
  assembleFields,
  isMoney,
  minorUnits,
  moneyText,
  ownMember,
  ownText,
  sameJson,
  type JsonObject,
  type Money,
  type RuleName,
  type StoredEntityType,
} from '@app/mapper';
import type { ChangeContext } from '../context/change-context';
import type { ResolvedChange } from '../resolved/resolved-change';
import type { BrokenRule } from './broken-rule';
import { excessOf, totalOf, type Total } from './total';

/** A limit of an object for the sum of its records of one type. */
export interface SumRule {
  readonly rule: RuleName;
  readonly child: StoredEntityType;
  readonly parent: StoredEntityType;
  /** Field of the child that names the parent. */
  readonly parentField: string;
  /** Fields of the child that determine its amount. */
  readonly childFields: readonly string[];
  /** Fields of the parent that determine the limit. */
  readonly limitFields: readonly string[];
  /** Whether a child's amount follows from totals that the platform computes. */
  readonly followsTotals: boolean;
  /** The amount of a child; undefined if it does not count. */
  readonly amountOf: (child: JsonObject) => Money | undefined;
  readonly limitOf: (parent: JsonObject) => Money | undefined;
  /** The message for a broken rule. `total` and `limit` are amounts with their currency. */
  readonly messageOf: (total: string, limit: string, parent: string) => string;
}

/** An amount with its currency, for messages. */
function shownMoney(money: Money): string {
  return `${moneyText(money)} ${money.currency}`;
}

/**
 * The violations of a sum rule by a change. Only a change that increases the excess violates the rule: a sum that
 * already exceeds its limit may stay or decrease.
 *
 * @param expected the object after the change, with the values that platforms compute
 */
export function brokenSums(
  rule: SumRule,
  context: ChangeContext,
  change: ResolvedChange,
  expected: () => JsonObject,
): readonly BrokenRule[] {
  const { entityType, object, canonical } = context;
  const touches = (fields: readonly string[]): boolean => fields.some((field) => change.values.has(field));
  if (entityType === rule.parent && touches(rule.limitFields)) {
    const children = childrenOf(rule, context, object.id);
    const before = { limit: rule.limitOf(canonical), amounts: children };
    const after = { limit: rule.limitOf(change.next), amounts: children };
    return broken(rule, context, { before, after, parent: nameOf(entityType, change.next), moves: false });
  }
  if (entityType !== rule.child || !touches([...rule.childFields, rule.parentField])) return [];
  const next = rule.followsTotals && touches(rule.childFields) ? expected() : change.next;
  const [was, is] = [rule.amountOf(canonical), rule.amountOf(next)];
  const [from, to] = [ownText(canonical, rule.parentField), ownText(change.next, rule.parentField)];
  const moves = from !== to && sameJson(asJson(was), asJson(is));
  return [...new Set([from, to])].flatMap((id) => {
    const parent = id === undefined ? undefined : context.referredObjects.get(id);
    if (id === undefined || parent === undefined) return [];
    const fields = assembleFields(parent, [...rule.limitFields, 'number'], context.terms);
    const limit = rule.limitOf(fields);
    const others = childrenOf(rule, context, id);
    const before = { limit, amounts: from === id ? [...others, ...listed(was)] : others };
    const after = { limit, amounts: to === id ? [...others, ...listed(is)] : others };
    return broken(rule, context, { before, after, parent: nameOf(rule.parent, fields), moves });
  });
}

/** The amounts of a parent's children, and their limit. */
interface LimitedAmounts {
  readonly limit: Money | undefined;
  readonly amounts: readonly Money[];
}

function broken(
  { rule, messageOf }: SumRule,
  { quotes, figures }: ChangeContext,
  {
    before,
    after,
    parent,
    moves,
  }: {
    readonly before: LimitedAmounts;
    readonly after: LimitedAmounts;
    /** The parent's type and number, for the message. */
    readonly parent: string;
    /** Whether the change only moves the child to another parent. */
    readonly moves: boolean;
  },
): readonly BrokenRule[] {
  const { limit } = after;
  if (limit === undefined) return [];
  const unknown = (why: string): readonly BrokenRule[] => [
    { rule, field: 'amount', by: 'unknown', message: `the records of ${parent} were not added up: ${why}` },
  ];
  if (!figures.complete) return unknown('there are too many');
  const total = totalOf(limit.currency, after.amounts, quotes);
  if ('unconvertible' in total) {
    return unknown(`no exchange rate from ${total.unconvertible} to ${limit.currency} is known`);
  }
  const excess = excessOf(total, limit);
  if (excess <= excessBefore(before, limit.currency, quotes)) return [];
  const amount = moneyIn(total);
  return [
    {
      rule,
      field: 'amount',
      by: moves ? 'moves' : 'breaks',
      message: messageOf(
        amount === undefined ? 'more than any amount' : shownMoney(amount),
        shownMoney(limit),
        parent,
      ),
      ...(amount && { amount }),
      limit: { amount: limit.amount, currency: limit.currency },
    },
  ];
}

function excessBefore(
  { limit, amounts }: LimitedAmounts,
  currency: string,
  quotes: ChangeContext['quotes'],
): bigint {
  if (limit?.currency !== currency) return 0n;
  const total = totalOf(currency, amounts, quotes);
  return 'unconvertible' in total ? 0n : excessOf(total, limit);
}

function moneyIn({ amount, currency }: Total): Money | undefined {
  const largest = BigInt(Number.MAX_SAFE_INTEGER);
  return amount > largest || amount < -largest ? undefined : minorUnits(amount, currency);
}

/** The amounts of an object's children, without the changed one. */
function childrenOf(rule: SumRule, { object, figures, terms }: ChangeContext, id: string): readonly Money[] {
  return figures.objects.flatMap((child) => {
    if (child.entityType !== rule.child || child.id === object.id) return [];
    const names = [rule.parentField, ...rule.childFields];
    const fields = assembleFields(child, names, terms);
    return ownText(fields, rule.parentField) === id ? listed(rule.amountOf(fields)) : [];
  });
}

function nameOf(entityType: StoredEntityType, fields: JsonObject): string {
  const number = ownMember(fields, 'number');
  return typeof number === 'string' ? `${entityType} ${JSON.stringify(number)}` : `the ${entityType}`;
}

function listed(money: Money | undefined): readonly Money[] {
  return money === undefined ? [] : [money];
}

function asJson(money: Money | undefined): JsonObject | null {
  return money === undefined ? null : { amount: money.amount, currency: money.currency };
}

/** The money of a field; undefined without a value. */
export function moneyOf(fields: JsonObject, field: string): Money | undefined {
  const value = ownMember(fields, field);
  return isMoney(value) ? value : undefined;
}
