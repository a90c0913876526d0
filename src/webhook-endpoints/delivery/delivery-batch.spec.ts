import type { ShownEvent } from '../../records/events/shown-event';
import type { OpenDelivery } from '../deliveries.repository';
import { MOST_OPEN, type ClaimedEndpoint } from '../webhook-endpoints.repository';
import { DeliveryBatch, retriesDue, type Delivery } from './delivery-batch';

const at = new Date('2026-02-01T00:00:00Z');
const anEndpoint = (more: Partial<ClaimedEndpoint> = {}): ClaimedEndpoint => ({
  customerId: 'c',
  isOfDemo: false,
  id: 'e',
  claim: 'x',
  url: 'https://example.com',
  types: [],
  startsAt: '2026-01-01T00:00:00.000000Z',
  position: 10,
  openDeliveries: 0,
  failures: 0,
  failingSince: null,
  ...more,
});
const waits = (sequence: number, more: Partial<OpenDelivery> = {}): OpenDelivery => ({
  sequence,
  object: 'o',
  attempts: 1,
  isDue: true,
  isResend: false,
  ...more,
});
const delivery = (sequence: number, object: string | null = 'o', attempts = 0): Delivery => {
  const event: ShownEvent = {
    id: `evt_${sequence}`,
    sequence,
    type: 'object.changed',
    entityType: 'payment',
    canonicalId: object,
    text: '{}',
  };
  return { event, object, attempts, isNew: attempts === 0 };
};
const answered = (status: number) => ({ status, error: null, response: '', at, durationMs: 1 });

describe('retriesDue()', () => {
  it('are the first of each object, those of none, and those that were asked for', () => {
    const open = [
      waits(1, { isResend: true }),
      waits(2),
      waits(3),
      waits(4, { object: 'p', isDue: false }),
      waits(5, { object: 'p' }),
      waits(6, { object: null }),
      waits(7, { object: null, isDue: false }),
    ];
    expect(retriesDue(open).map(({ sequence }) => sequence)).toEqual([1, 2, 6]);
  });
});

describe('DeliveryBatch', () => {
  it('goes on behind what was delivered, held and failed, and not behind what was left', () => {
    const batch = new DeliveryBatch(anEndpoint(), [], 20, () => 0);
    batch.record(delivery(11), answered(204));
    batch.record(delivery(12), answered(500));
    expect(batch.mayGoOn).toBe(false);
    expect([batch.isHeld(delivery(13)), batch.isHeld(delivery(14, 'p'))]).toEqual([true, false]);
    batch.hold(delivery(13));
    batch.leave(delivery(14, 'p'));
    batch.leave(delivery(15));
    const { waiting, progress } = batch.outcome(at);
    expect(waiting).toEqual([
      { sequence: 12, object: 'o', attempts: 1, pause: 5_000 },
      { sequence: 13, object: 'o', attempts: 0, pause: 0 },
    ]);
    expect(progress).toEqual({
      position: 13,
      attempts: 2,
      failures: 1,
      failingSince: at,
      disabledReason: null,
    });
  });

  it('tries again however many wait', () => {
    const open = Array.from({ length: MOST_OPEN + 1 }, (_, place) => waits(place + 1));
    expect(new DeliveryBatch(anEndpoint(), open, null, () => 0).mayGoOn).toBe(true);
  });

  it('stays where it is without a page of the feed', () => {
    const batch = new DeliveryBatch(anEndpoint({ failures: 7, failingSince: at }), [waits(9)], null, () => 0);
    batch.record(delivery(9, 'o', 1), answered(200));
    expect(batch.outcome(at)).toMatchObject({
      settled: [9],
      progress: { position: 10, failures: 0, failingSince: null },
    });
  });

  it('gives a delivery up after its last attempt, and an endpoint after five days', () => {
    const failingSince = new Date(at.getTime() - 5 * 24 * 3_600_000);
    const batch = new DeliveryBatch(anEndpoint({ failures: 9, failingSince }), [waits(9)], null, () => 0);
    expect(batch.record(delivery(9, 'o', 7), answered(500))).toBe('dropped');
    const { settled, waiting, progress } = batch.outcome(at);
    expect([settled, waiting]).toEqual([[9], []]);
    expect(progress.disabledReason).toBe('No delivery has succeeded for five days');
  });

  it.each([0, 1, 6])(
    'gives no endpoint up at a delivery with %i failed attempts, however long ago another was dropped',
    (attempts) => {
      const failingSince = new Date(at.getTime() - 30 * 24 * 3_600_000);
      const batch = new DeliveryBatch(anEndpoint({ failures: 8, failingSince }), [], 20, () => 0);
      batch.record(delivery(11, 'o', attempts), answered(503));
      expect(batch.outcome(at).progress).toMatchObject({ failures: 9, failingSince, disabledReason: null });
    },
  );

  it('gives an endpoint up also where the event of a failed delivery is kept no more', () => {
    const failingSince = new Date(at.getTime() - 5 * 24 * 3_600_000);
    const ended = (attempts: number) => {
      const batch = new DeliveryBatch(anEndpoint({ failures: 9, failingSince }), [waits(9)], null, () => 0);
      batch.drop(waits(9, { attempts }), at);
      return batch.outcome(at).progress.disabledReason;
    };
    expect(ended(1)).toBe('No delivery has succeeded for five days');
    expect(ended(0)).toBeNull();
  });

  it('holds new events of an object of which a delivery waits, and no retry', () => {
    const batch = new DeliveryBatch(
      anEndpoint(),
      [waits(9), waits(3, { object: 'p', isResend: true })],
      20,
      () => 0,
    );
    expect(batch.isHeld(delivery(12))).toBe(true);
    expect(batch.isHeld(delivery(9, 'o', 1))).toBe(false);
    expect(batch.isHeld(delivery(12, 'p'))).toBe(false);
    expect(batch.isHeld(delivery(12, null))).toBe(false);
  });
});
