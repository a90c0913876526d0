/** The longest address of an endpoint, in characters. */
export const LONGEST_URL = 2_048;

/**
 * The parts of an address that a delivery needs, parsed by the URL standard, for which a decimal or octal host is an IP
 * address.
 */
export interface EndpointUrl {
  readonly url: URL;
  /** A host name, or an IP address without brackets. */
  readonly host: string;
  readonly port: number;
}

/**
 * Reads the address of an endpoint. Pure.
 *
 * @returns the address, or the reason why it is refused, as the rest of a message that begins with the field's name
 */
export function readEndpointUrl(text: string): EndpointUrl | string {
  if (text.length > LONGEST_URL || !URL.canParse(text))
    return 'must be an address such as https://example.com/hook';
  const url = new URL(text);
  // The stored address, which is read again before each delivery, may be longer: characters beyond ASCII are escaped in
  // it.
  if (url.href.length > LONGEST_URL)
    return `must have at most ${LONGEST_URL} characters, those beyond ASCII escaped`;
  const { protocol, username, password, hash, hostname } = url;
  if (protocol !== 'https:' && protocol !== 'http:') return 'must begin with https://';
  if (username !== '' || password !== '') return 'must not hold a user name or password';
  if (hash !== '') return 'must not have a fragment';
  const port = url.port === '' ? (protocol === 'https:' ? 443 : 80) : Number(url.port);
  return { url, host: hostname.replace(/^\[|\]$/g, ''), port };
}

/** Whether a port is one of HTTP or free for any use. Others below 1024 belong to other protocols. */
export function isUsualPort(port: number): boolean {
  return port === 443 || port === 80 || port >= 1_024;
}
