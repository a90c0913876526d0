import type { JsonObject } from '@app/mapper';
import type { PlatformBehaviour } from '@app/behaviour';
import { PayloadDraft } from '../../../../libs/behaviour/src/payload-draft';
import { ledgerPortfolio } from './portfolio';

/** The currency of the ledger, ISO 4217. */
export const LEDGER_CURRENCY = 'SAR';

/** The ledger stores values as they are sent, numbers new records, and sets the time of each change. */
export const ledgerBehaviour: PlatformBehaviour = {
  currency: LEDGER_CURRENCY,
  portfolio: () => ledgerPortfolio,
  write: ({ current, changes }, occasion): JsonObject => {
    const draft = new PayloadDraft(current ?? { key: `N${occasion.integer(100_000, 1_000_000)}` });
    for (const { path, value } of changes) draft.setAt(path, value);
    draft.set('stamps.changed', occasion.now.toISOString());
    return draft.payload;
  },
};
