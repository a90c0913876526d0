/** Whether a connection leads to the platform itself, over HTTP with the customer's credentials, or to its sandbox. */
export type ConnectionMode = 'sandbox' | 'live';
