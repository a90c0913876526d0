/**
 * The target of the link to the next page in a header `Link` (RFC 8288): the first link whose `rel` names `next`.
 *
 * @param header of any length and content; read once from its begin to its end
 * @returns undefined where no link leads on
 */
export function nextIn(header: string | undefined): string | undefined {
  for (const [, target = '', parameters = ''] of (header ?? '').matchAll(/<([^<>]*)>([^<]*)/g)) {
    if (parameters.split(/[;,]/).some(isNext)) return target;
  }
  return undefined;
}

function isNext(parameter: string): boolean {
  const equals = parameter.indexOf('=');
  if (parameter.slice(0, Math.max(equals, 0)).trim().toLowerCase() !== 'rel') return false;
  const relations = parameter.slice(equals + 1).replaceAll('"', ' ');
  return relations.toLowerCase().split(/\s+/).includes('next');
}
