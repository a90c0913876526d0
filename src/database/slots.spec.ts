import { Slots } from './slots';

const never = new AbortController().signal;

/** Whether a promise has settled by now. */
async function settled(promise: Promise<unknown>): Promise<boolean> {
  const pending = Symbol('pending');
  const later = new Promise((resolve) => setImmediate(() => resolve(pending)));
  return (await Promise.race([promise.catch(() => undefined), later])) !== pending;
}

describe('Slots', () => {
  it('lets in as many as there are places, and the next when one leaves', async () => {
    const slots = new Slots(2);
    const leave = await slots.take(never);
    await slots.take(never);
    const third = slots.take(never);
    expect(await settled(third)).toBe(false);
    leave();
    expect(await settled(third)).toBe(true);
  });

  it('lets in by order of arrival', async () => {
    const slots = new Slots(1);
    const order: string[] = [];
    const leave = await slots.take(never);
    const visits = ['a', 'b', 'c'].map(async (name) => {
      const leaveToo = await slots.take(never);
      order.push(name);
      leaveToo();
    });
    leave();
    await Promise.all(visits);
    expect(order).toEqual(['a', 'b', 'c']);
  });

  it('gives a place back once, however often it is left', async () => {
    const slots = new Slots(1);
    const leave = await slots.take(never);
    leave();
    leave();
    await slots.take(never);
    expect(await settled(slots.take(never))).toBe(false);
  });

  it('ends the wait of one that gives up', async () => {
    const slots = new Slots(1);
    const leave = await slots.take(never);
    const impatient = new AbortController();
    const waiting = slots.take(impatient.signal);
    impatient.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
    leave();
    expect(await settled(slots.take(never))).toBe(true);
  });

  it('frees the place of one that gives up inside', async () => {
    const slots = new Slots(1);
    const impatient = new AbortController();
    const leave = await slots.take(impatient.signal);
    impatient.abort(new Error('enough'));
    leave();
    await slots.take(never);
    expect(await settled(slots.take(never))).toBe(false);
  });

  it('frees a place that was handed over in the moment of giving up', async () => {
    const slots = new Slots(1);
    const leave = await slots.take(never);
    const impatient = new AbortController();
    const waiting = slots.take(impatient.signal);
    leave();
    impatient.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
    expect(await settled(slots.take(never))).toBe(true);
  });

  it('takes nobody who has given up before', async () => {
    await expect(new Slots(1).take(AbortSignal.abort(new Error('enough')))).rejects.toThrow('enough');
  });
});
