import type { DecisionsQuery } from '../data/decisions';
import { storedTypeOf } from '../parts/words/type-words';

const decisions = ['link', 'not_same'] as const satisfies readonly DecisionsQuery['decision'][];

/** The decisions that an address asks for: those that stand, unless it says `status=withdrawn` or `status=all`. */
export function decisionsQueryOf(members: URLSearchParams): DecisionsQuery {
  const status = members.get('status');
  const decision = decisions.find((one) => one === members.get('decision'));
  const type = storedTypeOf(members.get('entity_type'));
  return {
    ...(status !== 'all' && { status: status === 'withdrawn' ? 'withdrawn' : 'standing' }),
    ...(decision !== undefined && { decision }),
    ...(type !== undefined && { entity_type: type }),
  };
}
