import { overlap } from '@app/mapper';
import type { ChangeContext } from '../context/change-context';
import type { CopyState } from '../state/copy-state';
import type { PlatformIntention } from './platform-step';
import { referenceOn, referredPayloads } from '../state/referred';
import type { ResolvedChange } from '../resolved/resolved-change';

/**
 * The write to the platform that a native change names: the caller's own values, unchanged, and dependent fields, such
 * as the invoice whose number was written.
 */
export function stepForOrigin(
  context: ChangeContext,
  change: ResolvedChange,
  { platform, mapping, copy, decoded }: CopyState,
): PlatformIntention {
  const { entityType, requested, referredObjects } = context;
  const written = requested.native?.changes ?? [];
  const follows = [...change.values].filter(
    ([field, value]) =>
      !requested.fields.has(field) &&
      !requested.references.has(field) &&
      value !== copy.references[field] &&
      field === 'invoice_id',
  );
  const references = Object.fromEntries(
    follows.map(([field, value]) => [field, referenceOn(platform, value, referredObjects) ?? null]),
  );
  const { changes } = mapping.changesOf(
    Object.keys(references),
    {},
    {
      references,
      currency: decoded.currency,
      localCurrency: copy.localCurrency,
    },
  );
  const following = changes.filter(({ path }) => !written.some((other) => overlap(other.path, path)));
  if (written.length + following.length === 0) return { kind: 'unchanged', left: [] };
  const ids = [...change.values].flatMap(([field, value]): [string, string | null][] =>
    requested.references.has(field) || Object.hasOwn(references, field)
      ? [[field, typeof value === 'string' ? value : null]]
      : [],
  );
  return {
    kind: 'write',
    write: {
      variant: copy.variant,
      platformId: copy.platformId,
      base: copy.payload,
      changes: [...written, ...following],
      referred: referredPayloads(platform, entityType, change.next, context),
      conversions: [],
      references: Object.fromEntries(ids),
      awaits: {},
      currencies: { inheritedCurrency: copy.inheritedCurrency, localCurrency: copy.localCurrency },
    },
    left: [],
  };
}
