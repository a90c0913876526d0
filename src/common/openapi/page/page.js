/* global document, SwaggerUIBundle */
'use strict';

/** Swagger UI's own filter looks at the names of groups only; this one reads the operations. */
const fullTextSearch = () => ({
  fn: {
    opsFilter: (groups, phrase) =>
      groups
        .map((group, name) =>
          group.update('operations', (operations) =>
            operations.filter((operation) => matches(name, operation, phrase)),
          ),
        )
        .filter((group) => group.get('operations').size > 0),
  },
});

/**
 * Whether an operation has every word of a phrase somewhere. It is read member by member: as a whole it holds all that the description says
 * of it, and Swagger UI asks for each operation with every change of the page.
 */
function matches(group, entry, phrase) {
  const operation = entry.get('operation');
  const parameters = [...(operation.get('parameters')?.values() ?? [])];
  const responses = [...(operation.get('responses')?.entries() ?? [])];
  const text = [
    group,
    entry.get('method'),
    entry.get('path'),
    operation.get('summary'),
    operation.get('description'),
    operation.get('operationId'),
    ...parameters.flatMap((parameter) => [parameter.get('name'), parameter.get('description')]),
    ...responses.flatMap(([status, response]) => [status, response.get('description')]),
  ]
    .join(' ')
    .toLowerCase();
  return phrase
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

document.addEventListener('DOMContentLoaded', () => {
  SwaggerUIBundle({
    dom_id: '#reference',
    url: 'api/v1/openapi.json',
    plugins: [fullTextSearch],
    filter: true,
    deepLinking: true,
    docExpansion: 'list',
    defaultModelsExpandDepth: 0,
    displayRequestDuration: true,
    tryItOutEnabled: true,
    // Nothing leaves this machine: the public validator would be sent the document's address.
    validatorUrl: null,
  });
});
