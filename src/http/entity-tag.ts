/** An entity tag (RFC 9110 §8.8.3) of a version that has no quotation mark in it. */
export function entityTag(version: string): string {
  return `"${version}"`;
}

/**
 * Whether the value of `If-None-Match` names a version, so that its reader has it already. Tags are compared weakly, and `*`
 * names every version.
 */
export function namesVersion(header: string | undefined, version: string): boolean {
  if (header === undefined) return false;
  const tags = header.split(',').map((tag) => tag.trim().replace(/^W\//, ''));
  return tags.includes('*') || tags.includes(entityTag(version));
}
