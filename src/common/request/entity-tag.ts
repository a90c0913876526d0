import { hash } from 'node:crypto';

/** The characters of a version, and of its refinement: 132 bits of a hash in base64url. */
const LENGTH = 22;

const refined = /^([\w-]{22})-[\w-]{22}$/;

/** The tag of a response with more of an object than its version covers. {@link versionIn} extracts the version. */
export function refinedTag(version: string, more: string): string {
  return `${version}-${hash('sha256', more, 'base64url').slice(0, LENGTH)}`;
}

/** The version of the object whose single read had this tag. */
export function versionIn(tag: string): string {
  return refined.exec(tag)?.[1] ?? tag;
}

/** An entity tag (RFC 9110 §8.8.3) of a text that has no quotation mark in it. */
export function entityTag(tag: string): string {
  return `"${tag}"`;
}

/**
 * Whether the value of `If-None-Match` contains a tag, so that the client already has the response. Tags are compared
 * weakly, and `*` matches every tag.
 */
export function namesTag(header: string | undefined, own: string): boolean {
  if (header === undefined) return false;
  const tags = header.split(',').map((tag) => tag.trim().replace(/^W\//, ''));
  return tags.includes('*') || tags.includes(entityTag(own));
}
