/* global document, SwaggerUIBundle */
'use strict';

/** Swagger UI's own filter looks at the names of groups only; this one reads the operations. */
const fullTextSearch = () => ({
  fn: {
    opsFilter: (groups, phrase) =>
      groups
        .map((group, name) =>
          group.update('operations', (operations) =>
            operations.filter((operation) => matches(name, operation.toJS(), phrase)),
          ),
        )
        .filter((group) => group.get('operations').size > 0),
  },
});

/** Whether an operation has every word of a phrase somewhere. */
function matches(group, { path, method, operation }, phrase) {
  const { summary = '', description = '', operationId = '', parameters = [], responses = {} } = operation;
  const text = [
    group,
    method,
    path,
    summary,
    description,
    operationId,
    ...parameters.flatMap((parameter) => [parameter.name, parameter.description]),
    ...Object.entries(responses).flatMap(([status, response]) => [status, response.description]),
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
