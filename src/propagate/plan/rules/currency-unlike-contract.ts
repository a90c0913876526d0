import { mappingOf, type PlatformName, type StoredEntityType } from '@app/mapper';
import type { ChangeContext } from '../context/change-context';
import type { PlatformStep } from '../steps/platform-step';
import { copyOn } from '../state/referred';
import type { BrokenRule } from './broken-rule';

const rule = 'currency_unlike_contract';

/**
 * Records whose currency would differ from their contract's on the same platform. If the platform does not have a
 * payment's contract, its invoice is used instead.
 */
export function currenciesUnlikeContract(
  context: ChangeContext,
  steps: readonly PlatformStep[],
): readonly BrokenRule[] {
  const { entityType } = context;
  if (entityType !== 'invoice' && entityType !== 'payment') return [];
  return steps.flatMap((step) => brokenOn(context, entityType, step));
}

function brokenOn(
  context: ChangeContext,
  entityType: StoredEntityType,
  step: PlatformStep,
): readonly BrokenRule[] {
  const { platform } = step;
  const state = context.copies.find((one) => one.platform === platform);
  // A record that is to be created gets the object's currency, without a request for it.
  if (state === undefined || step.kind !== 'write' || state.mapping.options.currency === undefined) return [];
  const { write, predicted } = step;
  const { currency } = state.mapping.readOnce(predicted, write.currencies);
  const was = state.decoded.currency;
  const now = { ...state.copy.references, ...write.references };
  const parent = parentOn(context, platform, now);
  if (currency === undefined || parent === undefined || currency === parent.currency) return [];
  const moves = currency === was;
  if (moves && parent.id === parentOn(context, platform, state.copy.references)?.id) return [];
  return [
    {
      rule,
      field: 'amount',
      by: moves ? 'moves' : 'breaks',
      message: `${currency} is not the currency of its ${parent.entityType} on ${platform}, which is ${parent.currency}`,
      platform,
    },
  ];
}

function parentOn(
  { referredObjects }: ChangeContext,
  platform: PlatformName,
  references: Readonly<Record<string, string | null>>,
): { readonly id: string; readonly entityType: StoredEntityType; readonly currency: string } | undefined {
  const { contract_id: contract, invoice_id: invoice } = references;
  const billed = copyOn(platform, invoice ?? '', referredObjects);
  const ids = [contract, billed?.references['contract_id'], invoice];
  for (const id of ids) {
    const object = typeof id === 'string' ? referredObjects.get(id) : undefined;
    const copy = object?.copies.find((one) => one.platform === platform);
    if (object === undefined || copy === undefined) continue;
    const { entityType } = object;
    const { currency } = mappingOf(platform, entityType, { variant: copy.variant }).readOnce(
      copy.payload,
      copy,
    );
    if (currency !== undefined) return { id: object.id, entityType, currency };
  }
  return undefined;
}
