import { isJsonArray, isJsonObject, stringifyJson, type JsonObject, type JsonValue } from '@app/mapper';
import { hash } from 'node:crypto';

/**
 * SHA-256 of a request: method, path and body. Bodies that are equal as JSON have the same digest: white space and the
 * order of members do not matter, because a client may serialise its body again for a retry.
 */
export function digestOf(method: string, path: string, body: JsonObject): string {
  const parts = [`${method} ${path}\n`];
  write(body, parts);
  return hash('sha256', parts.join(''), 'base64');
}

function write(value: JsonValue, parts: string[]): void {
  if (isJsonArray(value)) {
    parts.push('[');
    for (const item of value) {
      write(item, parts);
      parts.push(',');
    }
    parts.push(']');
  } else if (isJsonObject(value)) {
    parts.push('{');
    for (const name of Object.keys(value).sort()) {
      const member = value[name];
      if (member === undefined) continue;
      parts.push(JSON.stringify(name), ':');
      write(member, parts);
      parts.push(',');
    }
    parts.push('}');
  } else parts.push(stringifyJson(value));
}
