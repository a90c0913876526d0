/** Where live platforms call, outside the API's prefix: `/webhooks/{platform}/{the random part of an address}`. */
export const WEBHOOK_ROUTE = 'webhooks/:platform/:address';

/** Whether a request is a platform's call. Platforms choose how it looks: it need not declare JSON. */
export function isWebhookPath(path: string): boolean {
  return path.startsWith('/webhooks/');
}
