import type { INestApplication } from '@nestjs/common';
import { isJsonArray, isJsonObject, ownObject, type JsonObject, type JsonValue } from '@app/mapper';
import { DocumentBuilder, SwaggerModule, type OpenAPIObject } from '@nestjs/swagger';
import { API_VERSION } from '../../runtime/tracing/request-id';
import { codeSamples, type DescribedOperation } from './code-samples';
import { canonicalSchemas } from './schemas/canonical-schemas';
import { changeSchemas } from './schemas/change-schemas';
import { API_KEY } from './described.decorator';
import { errorMeanings, errorNames } from './error-responses';
import { COMMON_EXAMPLES, readExamples, type RecordedExample } from './examples';
import { headers, headersOf } from './headers';
import { guideAddress, tags } from './tags';
import { webhooksOf } from './webhooks';
import { payloadSchemas } from './schemas/payload-schemas';

/** The description of the whole API (OpenAPI 3.1), from the decorators, the mapper's tables and recorded examples. */
export function describeApi(app: INestApplication): JsonObject {
  const document = SwaggerModule.createDocument(app, foundation(), { autoTagControllers: false });
  return withSharedParts(document, readExamples());
}

const introduction = `Translates and reconciles construction records between two platforms through a canonical form.

A sandbox key comes from \`POST /api/v1/demo/session\`; every other call except health needs a key as \`Authorization: Bearer sk_…\`.
Connect both platforms, list their objects, change one, and see the change on both. \`POST /api/v1/transform\` previews a translation and stores nothing.
Agents can use the service through the Model Context Protocol at \`/mcp\`.

Every request other than GET needs \`Content-Type: application/json\`. Every answer carries \`X-Request-ID\` and \`API-Version\`.
All errors have the same form. If several apply, the response is the first of them in this order: 415, 429, 404 of the route, 401, 403, 413, 400, 404 of the resource, 409, 422.`;

function foundation(): Omit<OpenAPIObject, 'paths'> {
  const builder = new DocumentBuilder();
  for (const { name, description, guide } of tags) {
    builder.addTag(name, description, { url: guideAddress(guide), description: 'The guide, in Markdown.' });
  }
  return builder
    .setOpenAPIVersion('3.1.0')
    .setTitle('Construction Data Translation')
    .setDescription(introduction)
    .setVersion(API_VERSION)
    .addServer('/', 'The service that serves this document')
    .addBearerAuth(
      {
        type: 'http',
        scheme: 'bearer',
        description:
          'An API key: `sk_demo_…` from a demo session, `sk_test_…` or `sk_live_…` from onboarding. All work alike; only a demo key deletes its session. Each key has permissions: `read`, `write`, `decide`, `administer` and `passthrough`, all but the last unless the operator chose otherwise. Each operation names the permissions that it needs.',
      },
      API_KEY,
    )
    .addGlobalParameters({
      name: 'X-Request-ID',
      in: 'header',
      required: false,
      description:
        'An ID for this request: `req_` and 8 to 64 letters or digits. The response returns it. The service replaces any other value by an ID that it generates.',
      schema: { type: 'string' },
    })
    .addGlobalParameters({
      name: 'traceparent',
      in: 'header',
      required: false,
      description:
        'The trace that this request belongs to (W3C Trace Context). The service logs it and passes it on to the platforms, with `tracestate`. It ignores a value of another form.',
      schema: { type: 'string' },
    })
    .build();
}

function withSharedParts(document: OpenAPIObject, examples: readonly RecordedExample[]): JsonObject {
  // Nest's types of a document allow undefined members and class instances. JSON has neither.
  const plain = JSON.parse(JSON.stringify(document)) as JsonObject;
  const shared = new Map<string, JsonObject>();
  const paths = mapMembers(ownObject(plain, 'paths'), (operations, path) =>
    mapMembers(operations, (operation, method) =>
      finishedOperation(operation, { method, path }, examples, shared),
    ),
  );
  const components = ownObject(plain, 'components');
  const schemas = ownObject(components, 'schemas');
  return {
    openapi: plain.openapi ?? '',
    info: {
      ...ownObject(plain, 'info'),
      license: { name: 'Proprietary', identifier: 'LicenseRef-Proprietary' },
    },
    servers: plain.servers ?? [],
    tags: plain.tags ?? [],
    paths,
    webhooks: webhooksOf(feedEvent(paths), schemas),
    components: {
      schemas: { ...schemas, ...changeSchemas(schemas), ...canonicalSchemas(), ...payloadSchemas() },
      responses: Object.fromEntries([...shared].sort(([one], [other]) => (one < other ? -1 : 1))),
      headers,
      securitySchemes: components.securitySchemes ?? {},
    },
  };
}

/** The schema of an event, as the answer of the feed has it. */
function feedEvent(paths: JsonObject): JsonObject {
  const place = [
    'get',
    'responses',
    '200',
    'content',
    'application/json',
    'schema',
    'properties',
    'data',
    'items',
  ];
  return place.reduce(ownObject, ownObject(paths, '/api/v1/events'));
}

/** Adds what decorators cannot declare once for all operations: headers, recorded examples, and samples of code. */
function finishedOperation(
  operation: JsonObject,
  place: Pick<DescribedOperation, 'method' | 'path'>,
  examples: readonly RecordedExample[],
  shared: Map<string, JsonObject>,
): JsonObject {
  const own = examples.filter(({ operationId }) => operationId === operation.operationId);
  const described = ownObject(operation, 'responses');
  const responses = Object.entries(described).map(([status, response]): [string, JsonObject] => {
    const answers = own.filter((example) => String(example.status) === status);
    const finish = (recorded: readonly RecordedExample[]): JsonObject => ({
      ...(isJsonObject(response) && response),
      headers: {
        ...(isJsonObject(response) && isJsonObject(response.headers) && response.headers),
        ...headersOf(status, { hasLimit: isLimited(described['429']), hasKey: takesKey(operation) }),
      },
      ...withExamples(response, recorded, 'answer'),
    });
    const name = sharedName(status, response);
    if (name === undefined || answers.length > 0) return [status, finish(answers)];
    if (!shared.has(name)) shared.set(name, finish(examples.filter((example) => isCommon(example, status))));
    return [status, { $ref: `#/components/responses/${name}` }];
  });
  const body = operation.requestBody;
  const requests = own.filter(({ status, request }) => status < 300 && request !== undefined);
  return {
    ...operation,
    security: operation.security ?? [],
    ...(isJsonObject(body) && { requestBody: { ...body, ...withExamples(body, requests, 'request') } }),
    responses: Object.fromEntries(responses),
    'x-codeSamples': codeSamples({
      ...place,
      operation,
      bodies: requests.map(({ request }) => request ?? {}),
    }),
  };
}

/** Whether an operation counts the requests of each address. Other operations return 429 for another reason. */
function isLimited(tooMany: JsonValue | undefined): boolean {
  return isJsonObject(tooMany) && tooMany.description === errorMeanings[429];
}

function takesKey({ parameters }: JsonObject): boolean {
  return (
    isJsonArray(parameters) && parameters.some((one) => isJsonObject(one) && one.name === 'Idempotency-Key')
  );
}

/** Name of the response that operations share; undefined if the operation describes it in its own words. */
function sharedName(status: string, response: JsonValue): string | undefined {
  const known = Object.entries(errorMeanings).find(([own]) => own === status);
  if (known === undefined || !isJsonObject(response) || response.description !== known[1]) return undefined;
  return Object.entries(errorNames).find(([own]) => own === status)?.[1];
}

function isCommon({ operationId, status }: RecordedExample, wanted: string): boolean {
  return operationId === COMMON_EXAMPLES && String(status) === wanted;
}

function withExamples(
  described: JsonValue,
  examples: readonly RecordedExample[],
  part: 'request' | 'answer',
): JsonObject {
  const content = isJsonObject(described) ? described.content : undefined;
  if (!isJsonObject(content)) return {};
  return {
    content: Object.fromEntries(
      Object.entries(content).map(([type, media]) => {
        // A body is either JSON or text.
        const isText = type.startsWith('text/');
        const values = examples
          .filter((example) => (typeof example[part] === 'string') === isText)
          .map((example): [string, JsonValue] => [
            example.name,
            { summary: example.summary, value: example[part] ?? null },
          ]);
        return [
          type,
          isJsonObject(media) && values.length > 0
            ? { ...media, examples: Object.fromEntries(values) }
            : media,
        ];
      }),
    ),
  };
}

function mapMembers(
  object: JsonObject,
  change: (member: JsonObject, name: string) => JsonObject,
): JsonObject {
  return Object.fromEntries(
    Object.entries(object).map(([name, member]) => [
      name,
      isJsonObject(member) ? change(member, name) : member,
    ]),
  );
}
