/**
 * The customer of the work was deleted meanwhile. A request gets the response to a void key. Background work ends
 * without a log line.
 */
export class CustomerDeleted extends Error {
  override readonly name: string = 'CustomerDeleted';

  constructor(options?: ErrorOptions, message = 'The customer is gone') {
    super(message, options);
  }
}

/** There is no customer with an ID: an operator has mistyped it, or the customer was deleted meanwhile. */
export class UnknownCustomer extends CustomerDeleted {
  override readonly name = 'UnknownCustomer';

  constructor(customerId: string) {
    super(undefined, `No customer with ID ${customerId}`);
  }
}
