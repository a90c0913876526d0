import type { operations } from '@app/client';

/** What chooses changes, by the names of the API. */
export type ChangesQuery = Omit<
  NonNullable<operations['listPropagations']['parameters']['query']>,
  'cursor' | 'limit'
>;

/** The states of a change, those that need a person first. */
export const states = ['held', 'uncertain', 'pending', 'rejected', 'settled'] as const satisfies NonNullable<
  ChangesQuery['state']
>[];
export type ChangeState = (typeof states)[number];

/** Their mark and their words. */
export const stateWords: Readonly<Record<ChangeState, readonly [mark: string, words: string]>> = {
  held: ['▲', 'held: a person has to look'],
  uncertain: ['?', 'uncertain: sent, and no answer came'],
  pending: ['◌', 'pending: a platform has not confirmed it yet'],
  rejected: ['✕', 'rejected by a platform, or given up'],
  settled: ['●', 'settled'],
};

/** Members of the address that choose changes. */
const changesMembers = [
  'state',
  'platform',
  'entity_type',
  'canonical_id',
  'since',
  'until',
] as const satisfies readonly (keyof ChangesQuery)[];

/** The list that an address asks for. What the address says is checked by the service, which names what is wrong. */
export function changesQueryOf(members: URLSearchParams): ChangesQuery {
  return Object.fromEntries(
    changesMembers.flatMap((name) => {
      const value = members.get(name);
      return value === null || value === '' ? [] : [[name, value]];
    }),
  );
}

/** Whether people may still decide about a write: it waits, or a person has to look. */
export function isOpen(status: string): boolean {
  return status === 'held' || status === 'uncertain' || status === 'pending';
}
