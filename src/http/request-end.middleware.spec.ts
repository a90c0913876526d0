import { EventEmitter } from 'node:events';
import type { Request, Response } from 'express';
import { whenRequestEnds, type EndedRequest } from './request-end.middleware';

describe('whenRequestEnds', () => {
  const begin = (destroyed: boolean) => {
    const ended: EndedRequest[] = [];
    const next = jest.fn();
    const response = Object.assign(new EventEmitter(), {
      destroyed,
      statusCode: 200,
      writableFinished: false,
    });
    const request = { method: 'GET' };
    // All that is looked at.
    void whenRequestEnds((one) => ended.push(one))(request as Request, response as unknown as Response, next);
    return { ended, next, response };
  };

  it('tells of a request when its answer is closed', () => {
    const { ended, next, response } = begin(false);
    expect(next).toHaveBeenCalledTimes(1);
    expect(ended).toEqual([]);
    response.emit('close');
    expect(ended).toEqual([expect.objectContaining({ method: 'GET', aborted: true })]);
  });

  it('tells at once of a client that left before, and does nothing for it', () => {
    const { ended, next } = begin(true);
    expect(ended).toEqual([expect.objectContaining({ aborted: true })]);
    expect(next).not.toHaveBeenCalled();
  });
});
