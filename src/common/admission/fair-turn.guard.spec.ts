import type { ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { EventLoopScheduler } from '../../runtime/fairness/event-loop-scheduler';
import { Overloaded } from '../../runtime/fairness/overloaded';
import { FairTurnGuard } from './fair-turn.guard';

describe('FairTurnGuard', () => {
  const busy = new EventLoopScheduler();
  const turn = jest.spyOn(busy, 'waitToBegin').mockImplementation(() => Promise.resolve());
  beforeEach(() => turn.mockClear());

  const admit = (request: object) => {
    const context = { getHandler: () => admit, switchToHttp: () => ({ getRequest: () => request }) };
    return new FairTurnGuard(new Reflector(), busy).canActivate(context as unknown as ExecutionContext); // No other member is used.
  };
  const caller = { customer: { id: 'customer' } };

  it('lets a request wait for the turn of its customer', async () => {
    await expect(admit({ caller })).resolves.toBe(true);
    expect(turn).toHaveBeenCalledWith('customer');
  });

  it('does not let it wait twice', () => {
    expect(admit({ caller, turnOf: 'customer' })).toBe(true);
    expect(turn).not.toHaveBeenCalled();
  });

  it('lets a request wait again if its first wait was in another customer’s turn', async () => {
    await expect(admit({ caller, turnOf: 'another' })).resolves.toBe(true);
  });

  it('refuses a request that admission refused', () => {
    const refusedTurn = new Overloaded('too much');
    expect(() => admit({ caller, refusedTurn })).toThrow(refusedTurn);
  });
});
