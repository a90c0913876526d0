/**
 * The customer that work was for was deleted meanwhile. Requests get the answer to a void key, and work that nobody waits
 * for ends without a line in the log.
 */
export class CustomerDeleted extends Error {
  override readonly name = 'CustomerDeleted';

  constructor(options?: ErrorOptions) {
    super('The customer is gone', options);
  }
}
