import { hash } from 'node:crypto';

/** The characters of a version, and of what refines it: 132 bits of a hash in base64url. */
const LENGTH = 22;

const refined = /^([\w-]{22})-[\w-]{22}$/;

/** The tag of an answer that shows more of an object than its version says. {@link versionIn} finds the version in it. */
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
 * Whether the value of `If-None-Match` names a tag, so that the reader has the answer already. Tags are compared weakly, and `*`
 * names every tag.
 */
export function namesTag(header: string | undefined, own: string): boolean {
  if (header === undefined) return false;
  const tags = header.split(',').map((tag) => tag.trim().replace(/^W\//, ''));
  return tags.includes('*') || tags.includes(entityTag(own));
}
