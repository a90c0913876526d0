import { fc } from '../../../libs/mapper/src/testing/property';
import { storedTrace, traceContextOf, traceHeaders } from './trace-context';

const traceId = '0af7651916cd43dd8448eb211c80319c';
const parentId = 'b7ad6b7169203331';
const traceparent = `00-${traceId}-${parentId}-01`;

describe('traceContextOf', () => {
  it('goes on with the trace that the caller is in', () => {
    expect(traceContextOf(traceparent, 'congo=t61rcWkgMzE')).toEqual({
      traceId,
      spanId: expect.stringMatching(/^[0-9a-f]{16}$/),
      parentId,
      flags: '01',
      state: 'congo=t61rcWkgMzE',
    });
  });

  it('gives each request an ID of its own', () => {
    const ids = Array.from({ length: 50 }, () => traceContextOf(traceparent).spanId);
    expect(new Set([...ids, parentId]).size).toBe(51);
  });

  it.each([
    ['nothing', undefined],
    ['an empty one', ''],
    ['capitals', traceparent.toUpperCase()],
    ['a trace of zeros', `00-${'0'.repeat(32)}-${parentId}-01`],
    ['a parent of zeros', `00-${traceId}-${'0'.repeat(16)}-01`],
    ['the version that is none', `ff-${traceId}-${parentId}-01`],
    ['members that version 00 does not have', `${traceparent}-more`],
    ['two at once', `${traceparent}, ${traceparent}`],
    ['something else', 'b3: 1'],
  ])('begins a trace for %s, and drops the state', (_what, header) => {
    const context = traceContextOf(header, 'congo=t61rcWkgMzE');
    expect(context).toEqual({
      traceId: expect.stringMatching(/^[0-9a-f]{32}$/),
      spanId: expect.stringMatching(/^[0-9a-f]{16}$/),
      parentId: undefined,
      flags: '00',
      state: undefined,
    });
    expect(context.traceId).not.toBe(traceId);
  });

  it('reads the known part of a later version', () => {
    expect(traceContextOf(`cc-${traceId}-${parentId}-03-what-the-future-brings`)).toMatchObject({
      traceId,
      parentId,
      flags: '01',
    });
  });

  it.each(['', '  ', 'x'.repeat(513)])('drops a state that says nothing or is too long (%j)', (state) => {
    expect(traceContextOf(traceparent, state).state).toBeUndefined();
  });
});

describe('traceHeaders', () => {
  it('name this part of the trace as the parent of what is called', () => {
    const header = fc.option(fc.constantFrom(traceparent, `00-${traceId}-${parentId}-00`, 'nonsense'));
    const state = fc.option(fc.constant('a=1,b=2'));
    fc.assert(
      fc.property(header, state, (traceparentOrNone, stateOrNone) => {
        const here = traceContextOf(traceparentOrNone ?? undefined, stateOrNone ?? undefined);
        const headers = traceHeaders(here);
        const next = traceContextOf(headers['traceparent'], headers['tracestate']);
        expect(next).toEqual({ ...here, spanId: expect.any(String), parentId: here.spanId });
      }),
    );
  });
});

describe('storedTrace', () => {
  it.each([['congo=t61rcWkgMzE'], [undefined]])('gives back the headers that were stored (%j)', (state) => {
    const headers = traceHeaders(traceContextOf(traceparent, state));
    const stored = storedTrace(headers['traceparent'] ?? '', headers['tracestate']);
    expect(stored && traceHeaders(stored)).toEqual(headers);
  });

  it('does not exist for other text', () => {
    expect(storedTrace('nonsense', 'congo=t61rcWkgMzE')).toBeUndefined();
  });
});
