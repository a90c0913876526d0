import { isJsonArray, isJsonObject, ownMember, shortened, type JsonValue } from '@app/mapper';
import { LONGEST_REASON, oneLine } from '../../../live/refusal-text';
import type { PlatformResponse } from '../../../live/platform-response';

const MOST_MESSAGES = 20;

/**
 * What the platform says about a refusal, in its own words: the messages of its several forms of errors, joined.
 *
 * @returns at most 500 characters in one line; undefined when it says nothing for people
 */
export function refusalWords(response: PlatformResponse): string | undefined {
  const body = response.json();
  const messages = body.kind === 'json' ? messagesIn(body.value) : plainText(response.text);
  const words = messages
    .slice(0, MOST_MESSAGES)
    .map(oneLine)
    .filter((message) => message !== '' && !message.includes('<'))
    .join('; ');
  return words === '' ? undefined : shortened(words, LONGEST_REASON);
}

function messagesIn(body: JsonValue): readonly string[] {
  if (typeof body === 'string') return plainText(body);
  if (!isJsonObject(body)) return [];
  const errors = ownMember(body, 'errors');
  if (typeof errors === 'string') return [errors];
  if (isJsonArray(errors)) return errors.flatMap(textsOf);
  if (isJsonObject(errors)) return Object.entries(errors).flatMap(([field, value]) => ofField(field, value));
  const error = ownMember(body, 'error');
  if (isJsonObject(error)) return ofEnvelope(error);
  const said = [
    ownMember(body, 'message'),
    ownMember(body, 'error_description'),
    ownMember(body, 'reason'),
    error,
  ];
  return said.filter((text) => typeof text === 'string').slice(0, 1);
}

function ofField(field: string, value: JsonValue): readonly string[] {
  const messages = isJsonArray(value) ? value.flatMap(textsOf) : textsOf(value);
  return field === 'base' ? messages : messages.map((message) => `${field.slice(0, 60)} ${message}`);
}

function ofEnvelope(error: Readonly<Record<string, JsonValue>>): readonly string[] {
  const details = ownMember(error, 'details');
  const messages = isJsonArray(details)
    ? details.flatMap((detail) => (isJsonObject(detail) ? textsOf(ownMember(detail, 'message')) : []))
    : [];
  return messages.length > 0 ? messages : textsOf(ownMember(error, 'message'));
}

function textsOf(value: JsonValue | undefined): readonly string[] {
  return typeof value === 'string' ? [value] : [];
}

// The page of a gateway says nothing to the caller.
function plainText(text: string): readonly string[] {
  return text.trimStart().startsWith('<') ? [] : [text];
}
