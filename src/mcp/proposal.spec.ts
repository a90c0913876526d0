import { parseJsonText, type JsonObject } from '@app/mapper';
import { fc } from '../../libs/mapper/src/testing/property';
import { later } from '../runtime/clock/later';
import { PROPOSAL_LIFE, proposalFor, readProposal, type Proposed, type Proposer } from './proposal';

const now = new Date('2026-11-26T08:00:00Z');
const shown = { version: '8F1gPjjXrtMQ8YESERCYCf', effects: 'x'.repeat(43) };

const given = fc.dictionary(
  fc.string({ maxLength: 5 }),
  fc.jsonValue({ maxDepth: 2 }),
) as fc.Arbitrary<JsonObject>; // JSON.
const proposals = fc.record({
  tool: fc.constantFrom('apply_change', 'decide'),
  given,
  customerId: fc.uuid(),
  keyHash: fc.string({ minLength: 8, maxLength: 8 }),
});

function sealed({ tool, given: what, ...proposer }: Proposed & Proposer, at = shown): string {
  return proposalFor({ tool, given: what }, proposer, at, now);
}

function read(token: string, { tool, given: what, ...proposer }: Proposed & Proposer, at = now) {
  return readProposal(token, { tool, given: what }, proposer, at);
}

describe('a proposal', () => {
  it('fits its own arguments, in any order, for an hour', () => {
    fc.assert(
      fc.property(proposals, (proposed) => {
        const token = sealed(proposed);
        const reordered = Object.fromEntries(Object.entries(proposed.given).reverse());
        expect(read(token, { ...proposed, given: reordered })).toEqual({ ...shown, isOver: false });
        expect(read(token, proposed, later(now, PROPOSAL_LIFE * 1000)).isOver).toBe(true);
      }),
    );
  });

  it('fits nothing else', () => {
    fc.assert(
      fc.property(proposals, proposals, (one, other) => {
        const differ = JSON.stringify(one) !== JSON.stringify(other);
        fc.pre(differ && JSON.stringify(one.given) !== JSON.stringify(other.given));
        const token = sealed(one);
        for (const change of [
          { given: other.given },
          { tool: one.tool === 'decide' ? 'apply_change' : 'decide' },
          { customerId: `${one.customerId}x` },
          { keyHash: `${one.keyHash}x` },
        ]) {
          expect(() => read(token, { ...one, ...change })).toThrow(/proposal must be/);
        }
      }),
    );
  });

  it('cannot be altered, and no text breaks its reading', () => {
    const proposed = { tool: 'decide', given: {}, customerId: 'c', keyHash: 'hash' };
    const token = sealed(proposed);
    fc.assert(
      fc.property(fc.nat(token.length - 1), fc.string({ maxLength: 2 }), (place, piece) => {
        const altered = token.slice(0, place) + piece + token.slice(place + 1);
        fc.pre(altered !== token);
        expect(() => read(altered, proposed)).toThrow(/proposal must be/);
      }),
    );
  });

  it('tells numbers apart that a double cannot', () => {
    const exact = (text: string) => parseJsonText(text) as JsonObject; // Objects, as written below.
    const one = {
      tool: 'decide',
      given: exact('{"n":12345678901234567890.1}'),
      customerId: 'c',
      keyHash: 'h',
    };
    const token = sealed(one);
    expect(read(token, one).isOver).toBe(false);
    expect(() => read(token, { ...one, given: exact('{"n":12345678901234567890.2}') })).toThrow();
  });
});
