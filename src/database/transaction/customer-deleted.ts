/**
 * The customer of the work was deleted meanwhile. A request gets the response to a void key. Background work ends
 * without a log line.
 */
export class CustomerDeleted extends Error {
  override readonly name = 'CustomerDeleted';

  constructor(options?: ErrorOptions) {
    super('The customer is gone', options);
  }
}
