import type { Application } from 'express';
import { IncomingMessage, ServerResponse } from 'node:http';

/** An Express application with the prototypes of its messages. Express documents them, but its types omit them. */
export interface ExpressApplication extends Application {
  request: object;
  response: object;
}

/** The classes that Node instantiates for the requests and responses of an Express application. */
export interface MessageClasses {
  readonly IncomingMessage: typeof IncomingMessage;
  readonly ServerResponse: typeof ServerResponse<IncomingMessage>;
}

/**
 * Classes whose instances are Express' requests and responses from the start. Express replaces the prototype of each
 * message that Node creates. On Node 20 and 22 every later access then leaves the engine's fast paths, which costs more
 * than all of Express. These instances already have the prototype that Express would set.
 *
 * Each prototype has the members of Express' prototypes and inherits directly from Node's. The prototypes become the
 * application's `request` and `response`, its documented points of extension.
 */
export function messageClasses(app: ExpressApplication): MessageClasses {
  class FlatRequest extends IncomingMessage {}
  class FlatResponse extends ServerResponse<IncomingMessage> {}
  takeOver(FlatRequest.prototype, app.request, IncomingMessage.prototype);
  takeOver(FlatResponse.prototype, app.response, ServerResponse.prototype);
  app.request = FlatRequest.prototype;
  app.response = FlatResponse.prototype;
  return { IncomingMessage: FlatRequest, ServerResponse: FlatResponse };
}

/**
 * Copies the declarations of a prototype chain, down to Node's prototype, to one prototype. Nearer declarations win.
 */
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
