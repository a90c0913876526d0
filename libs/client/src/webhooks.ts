import type { FeedEvent } from './types';

/** Headers of a delivery: those of a `Request`, or of Node's `IncomingMessage`. */
export type WebhookHeaders =
  | { get(name: string): string | null }
  | Readonly<Record<string, string | readonly string[] | undefined>>;

/** A delivery is not one of the service, was altered, or is too old. */
export class WebhookRefused extends Error {
  override readonly name = 'WebhookRefused';
}

const PREFIX = 'whsec_';

/** Seconds by which the clocks of sender and receiver may differ, and for which a delivery may be under way. */
const TOLERANCE = 300;

/**
 * Verifies a delivery by Standard Webhooks, and reads its event. The same event may come again, with the same ID.
 *
 * @param body as it came, before any parsing
 * @param secret of the endpoint: `whsec_…`
 * @param now milliseconds since 1970
 * @throws WebhookRefused
 */
export async function verifyWebhook(
  body: string | Uint8Array,
  headers: WebhookHeaders,
  secret: string,
  now = Date.now(),
): Promise<FeedEvent> {
  const [id, timestamp, signature] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) =>
    headerOf(headers, name),
  );
  if (id === undefined || timestamp === undefined || signature === undefined)
    throw new WebhookRefused('A header of the delivery is missing');
  if (!/^\d{1,12}$/.test(timestamp) || Math.abs(now / 1_000 - Number(timestamp)) > TOLERANCE)
    throw new WebhookRefused('The delivery is too old, or from the future');
  const text = typeof body === 'string' ? body : new TextDecoder().decode(body);
  const signed = new TextEncoder().encode(`${id}.${timestamp}.${text}`);
  const key = await keyOf(secret);
  for (const given of signature.split(' ')) {
    const [version, mac] = given.split(',');
    const bytes = version === 'v1' && mac !== undefined ? bytesOf(mac) : undefined;
    // Web Crypto compares in constant time.
    if (bytes !== undefined && (await crypto.subtle.verify('HMAC', key, bytes, signed)))
      return JSON.parse(text) as FeedEvent; // The service has signed it.
  }
  throw new WebhookRefused('No signature of the delivery is by this secret');
}

function keyOf(secret: string): ReturnType<typeof crypto.subtle.importKey> {
  const bytes = secret.startsWith(PREFIX) ? bytesOf(secret.slice(PREFIX.length)) : undefined;
  if (bytes === undefined || bytes.length === 0) throw new TypeError('A secret is whsec_ and text in base64');
  return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify']);
}

function bytesOf(base64: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}

function headerOf(headers: WebhookHeaders, name: string): string | undefined {
  const value: unknown = isHeaders(headers) ? headers.get(name) : headers[name];
  return typeof value === 'string' ? value : undefined;
}

function isHeaders(headers: WebhookHeaders): headers is { get(name: string): string | null } {
  return typeof headers.get === 'function';
}
