import { isJsonArray, isJsonObject, ownObject, type JsonObject } from '@app/mapper';

const header = (name: string, description: string): JsonObject => ({
  name,
  in: 'header',
  required: true,
  description,
  schema: { type: 'string' },
});

const parameters = [
  header('webhook-id', 'ID of the event. It stays the same when the event is sent again.'),
  header('webhook-timestamp', 'When this attempt was sent, in seconds since 1970-01-01T00:00:00Z.'),
  header(
    'webhook-signature',
    'The signature by Standard Webhooks: `v1,` and the base64 of the HMAC-SHA256 of ID, timestamp and body, joined by dots. Several signatures are separated by spaces; it is enough that one of them is valid.',
  ),
];

const responses = {
  '2XX': { description: 'The event was received. It is not sent again.' },
  default: {
    description:
      'The event was not received. It is sent again, unless this was its last attempt. Redirects are not followed.',
  },
};

/**
 * Describes what endpoints of customers get: a webhook for each type of event, as the feed shows it.
 *
 * @param event the schema of an event of the feed: one of several, each with its types
 */
export function webhooksOf(event: JsonObject, schemas: JsonObject): JsonObject {
  const classes = isJsonArray(event.anyOf) ? event.anyOf : [];
  return Object.fromEntries(
    classes.filter(isJsonObject).flatMap((reference) =>
      typesOf(ownObject(schemas, nameIn(reference))).map((type): [string, JsonObject] => [
        type,
        {
          post: {
            operationId: operationIdOf(type),
            tags: ['Events'],
            summary: `An event \`${type}\``,
            description: 'As `GET /events` shows it.',
            security: [],
            parameters,
            requestBody: { required: true, content: { 'application/json': { schema: reference } } },
            responses,
          },
        },
      ]),
    ),
  );
}

/** `onObjectCreated` for `object.created`. */
function operationIdOf(type: string): string {
  return `on${type.replace(/(?:^|[._])[a-z]/g, (start) => start.slice(-1).toUpperCase())}`;
}

function typesOf(eventClass: JsonObject): readonly string[] {
  const types = ownObject(ownObject(eventClass, 'properties'), 'type').enum;
  return isJsonArray(types) ? types.filter((type) => typeof type === 'string') : [];
}

function nameIn({ $ref: path }: JsonObject): string {
  return (typeof path === 'string' ? path.split('/').at(-1) : undefined) ?? '';
}
