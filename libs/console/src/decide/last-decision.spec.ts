import type { Decided } from '../data/decisions';
import { decisionsMade } from './last-decision';

const decided = (id: string | null, decision: Decided['decision']): Decided => ({
  id,
  decision,
  entity_type: 'payment',
  records: [],
  reason: 'One cheque',
  decided_by: 'Amira',
  decided_at: '2026-01-01T00:00:00.000Z',
  status: 'standing',
  withdrawn: null,
  effects: { records: [], records_total: 0 },
  dry_run: false,
});

describe('decisions that were made together', () => {
  it('are undone by the IDs of all', () => {
    const made = [decided('1', 'link'), decided('2', 'not_same'), decided('3', 'not_same')];
    expect(decisionsMade(made)).toEqual({ ids: ['1', '2', '3'], words: 'Linked, 2 ruled out' });
  });

  it('are one where no other followed, or was made before a refusal', () => {
    expect(decisionsMade([decided('1', 'not_same')])).toEqual({ ids: ['1'], words: 'Not the same' });
  });

  it('cannot be undone where the service named none', () => {
    expect(decisionsMade([decided(null, 'link')]).ids).toEqual([]);
  });
});
