/** Whether a connection uses the platform itself, over HTTP with the customer's credentials, or its sandbox. */
export type ConnectionMode = 'sandbox' | 'live';
