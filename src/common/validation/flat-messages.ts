import type { Application } from 'express';
import { IncomingMessage, ServerResponse } from 'node:http';

/** An Express application with the prototypes of its messages, which Express documents and its types leave out. */
export interface ExpressApplication extends Application {
  request: object;
  response: object;
}

/** The classes of requests and answers that Node is to make for an Express application. */
export interface FlatMessages {
  readonly IncomingMessage: typeof IncomingMessage;
  readonly ServerResponse: typeof ServerResponse<IncomingMessage>;
}

/**
 * Classes whose instances are Express' requests and answers from the beginning. Express gives each message that Node has
 * made another prototype; the engine of Node 20 and 22 then leaves its fast paths for every later access, which costs
 * more than all of Express. Here the prototype is already the one that Express would set.
 *
 * Each prototype holds what Express' own and those beneath them declare, and stands directly on Node's. They become the
 * application's `request` and `response`, its documented points of extension.
 */
export function flatMessages(app: ExpressApplication): FlatMessages {
  class FlatRequest extends IncomingMessage {}
  class FlatResponse extends ServerResponse<IncomingMessage> {}
  takeOver(FlatRequest.prototype, app.request, IncomingMessage.prototype);
  takeOver(FlatResponse.prototype, app.response, ServerResponse.prototype);
  app.request = FlatRequest.prototype;
  app.response = FlatResponse.prototype;
  return { IncomingMessage: FlatRequest, ServerResponse: FlatResponse };
}

/** Declares on one prototype what another and those beneath it declare, down to Node's; nearer declarations count. */
function takeOver(flat: object, from: object, end: object): void {
  const layers: object[] = [];
  for (let layer: object | null = from; layer !== null && layer !== end; layer = prototypeOf(layer)) {
    layers.unshift(layer);
  }
  for (const layer of layers) Object.defineProperties(flat, Object.getOwnPropertyDescriptors(layer));
}

function prototypeOf(layer: object): object | null {
  return Object.getPrototypeOf(layer) as object | null; // Its type is `any`.
}
