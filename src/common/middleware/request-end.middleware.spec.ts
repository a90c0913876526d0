import { EventEmitter } from 'node:events';
import type { Request, Response } from 'express';
import type { EndedRequest } from '../../runtime/metrics/ended-request';
import { whenRequestEnds } from './request-end.middleware';

describe('whenRequestEnds', () => {
  const begin = (destroyed: boolean) => {
    const ended: EndedRequest[] = [];
    const next = jest.fn();
    const response = Object.assign(new EventEmitter(), {
      destroyed,
      statusCode: 200,
      errored: null,
    });
    const socket = { destroyed: false };
    const request = { method: 'GET', socket };
    // The middleware uses no other member.
    void whenRequestEnds((one) => ended.push(one))(
      request as unknown as Request,
      response as unknown as Response,
      next,
    );
    return { ended, next, response, socket };
  };

  it('reports a request when its response is closed', () => {
    const { ended, next, response } = begin(false);
    expect(next).toHaveBeenCalledTimes(1);
    expect(ended).toEqual([]);
    response.emit('close');
    expect(ended).toEqual([expect.objectContaining({ method: 'GET', aborted: true })]);
  });

  it.each([
    [true, 'when its connection is gone, and Node drops the rest of its answer'],
    [false, 'when its answer is out'],
  ])('says whether the response was cut: %p, %s', (isGone) => {
    const { ended, response, socket } = begin(false);
    socket.destroyed = isGone;
    response.emit('finish');
    socket.destroyed = true;
    response.emit('close');
    expect(ended).toEqual([expect.objectContaining({ aborted: isGone })]);
  });

  it('reports at once a client that left before, and does no work for it', () => {
    const { ended, next } = begin(true);
    expect(ended).toEqual([expect.objectContaining({ aborted: true })]);
    expect(next).not.toHaveBeenCalled();
  });
});
