/**
 * The route of live platforms' notifications, outside the API's prefix:
 * `/webhooks/{platform}/{the random part of an address}`.
 */
export const WEBHOOK_ROUTE = 'webhooks/:platform/:address';

/** Whether a request is a platform's notification. The platform determines its form: it need not declare JSON. */
export function isWebhookPath(path: string): boolean {
  return path.startsWith('/webhooks/');
}
