import { ApiError, type TranslationClient } from '@app/client';
import type { CaseQuery } from '../data/case-query';
import type { CaseDetail } from '../data/cases';

/** Milliseconds between looks. Comparisons follow a decision within a second or two, and at once where there is nothing else to do. */
const PAUSES = [0, 100, 200, 300, 400, 500, 500, 500, 500, 500];

/**
 * Waits until a case shows the effect of a decision: it is settled by the decision, or open again. Gives up after some
 * seconds.
 */
async function hasFollowed(
  api: TranslationClient,
  id: string,
  isThere: (one: CaseDetail | undefined) => boolean,
): Promise<void> {
  for (const pause of PAUSES) {
    await new Promise((resolve) => setTimeout(resolve, pause));
    if (isThere(await caseIfAny(api, id))) return;
  }
}

async function caseIfAny(api: TranslationClient, id: string): Promise<CaseDetail | undefined> {
  try {
    return await api.case(id);
  } catch (error) {
    if (error instanceof ApiError && error.is('NOT_FOUND')) return undefined;
    throw error;
  }
}

/** How many cases a list has once a decision about one of them has had its effect. */
export async function leftAfter(api: TranslationClient, query: CaseQuery, id: string): Promise<number> {
  await hasFollowed(api, id, (one) => one === undefined || one.state === 'closed');
  return (await api.cases({ ...query, limit: 1 })).facets.total;
}

/** Waits until a case is open again after its decision was withdrawn. */
export function openAgain(api: TranslationClient, id: string): Promise<void> {
  return hasFollowed(api, id, (one) => one !== undefined && one.state !== 'closed');
}
