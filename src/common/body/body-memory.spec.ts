import { BODIES_HELD, BodyMemory, type BodyBytes } from './body-memory';

const LARGEST = 100;

/** An arriving body, with a record of the calls on it. */
class Arriving {
  state: 'reads' | 'waits' | 'refused' = 'reads';
  reason: Error | undefined;
  readonly bytes: BodyBytes;

  constructor(memory: BodyMemory, tenant: string) {
    this.bytes = memory.open(tenant, {
      pause: () => (this.state = 'waits'),
      resume: () => (this.state = 'reads'),
      refuse: (reason) => {
        this.state = 'refused';
        this.reason = reason;
      },
    });
  }
}

describe('BodyMemory', () => {
  let memory: BodyMemory;
  let open: Arriving[];
  beforeEach(() => {
    jest.useFakeTimers();
    memory = new BodyMemory(LARGEST);
    open = [];
  });
  afterEach(() => {
    for (const { bytes } of open) bytes.release();
    jest.useRealTimers();
  });

  const arrive = (tenant: string, bytes = LARGEST): Arriving => {
    const body = new Arriving(memory, tenant);
    open.push(body);
    body.bytes.add(bytes);
    return body;
  };
  const many = (tenant: string, count: number): Arriving[] =>
    Array.from({ length: count }, () => arrive(tenant));
  const states = (bodies: readonly Arriving[]) => bodies.map(({ state }) => state);

  it('reserves nothing for bytes that have not arrived', () => {
    for (const tenant of ['a', 'b', 'c']) for (let body = 0; body < 1_000; body += 1) arrive(tenant, 0);
    expect(states(many('d', 3))).toEqual(['reads', 'reads', 'reads']);
  });

  it('lets a customer beyond its share wait until one of its bodies is done', () => {
    const inside = many('a', BODIES_HELD.each);
    for (const { bytes } of inside) bytes.complete();
    const next = arrive('a');
    expect(next.state).toBe('waits');
    expect(arrive('b').state).toBe('reads');
    inside[0]?.bytes.release();
    expect(next.state).toBe('reads');
  });

  it('refuses a body that waited too long, which then gives its bytes back', () => {
    for (const { bytes } of many('a', BODIES_HELD.each)) bytes.complete();
    const next = arrive('a');
    jest.advanceTimersByTime(3_000);
    expect(next.state).toBe('refused');
    expect(next.reason?.message).toBe('No room for the body within 3000 ms');
    next.bytes.release();
    open[0]?.bytes.release();
    expect(arrive('a').state).toBe('reads');
  });

  it('lets the oldest body of a customer continue when only its end can free memory', () => {
    const bodies = many('a', BODIES_HELD.each + 3);
    expect(bodies[0]?.state).toBe('reads');
    bodies[0]?.bytes.add(0);
    expect(bodies[0]?.state).toBe('reads');
    expect(bodies.at(-1)?.state).toBe('waits');
  });

  it('always has room for one body of a customer that has none', () => {
    for (const tenant of ['a', 'b', 'c']) many(tenant, BODIES_HELD.each);
    const first = arrive('d');
    expect(first.state).toBe('reads');
    const second = arrive('d');
    first.bytes.complete();
    second.bytes.add(0);
    expect(second.state).toBe('waits');
    first.bytes.release();
    expect(second.state).toBe('reads');
  });

  it('refuses the oldest body of the customer with the most bytes when the total is too large', () => {
    const slow = ['a', 'b', 'c'].map((tenant) => many(tenant, BODIES_HELD.each));
    const one = arrive('d');
    expect(one.state).toBe('reads');
    expect(states(slow.flat()).filter((state) => state === 'refused')).toHaveLength(1);
    expect(slow[0]?.[0]?.state).toBe('refused');
  });

  it('takes a body of a route with larger ones, also beside what customers share, and a second one after it', () => {
    const largestOfAll = 2 * BODIES_HELD.all * LARGEST;
    memory = new BodyMemory(LARGEST, largestOfAll);
    const usual = ['a', 'b'].flatMap((tenant) => many(tenant, BODIES_HELD.shared / 2));
    const notification = arrive('platform', largestOfAll);
    expect(states([...usual, notification]).filter((state) => state !== 'reads')).toEqual([]);
    notification.bytes.complete();
    notification.bytes.release();
    const next = arrive('platform', largestOfAll);
    expect(next.state).toBe('reads');
  });

  it('releases bytes once, and keeps nothing of refused bodies', () => {
    const body = arrive('a');
    body.bytes.release();
    body.bytes.release();
    body.bytes.add(LARGEST * 100);
    for (const tenant of ['a', 'b']) many(tenant, BODIES_HELD.each / 2);
    expect(states(open.slice(1)).every((state) => state === 'reads')).toBe(true);
  });
});
