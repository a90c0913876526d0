/** A group of operations, and the page of `docs/` that is its guide. */
interface Tag {
  readonly name: string;
  readonly description: string;
  readonly guide: string;
}

/** The groups of the API's operations, in their order. */
export const tags: readonly Tag[] = [
  { name: 'Demo', description: 'Temporary customers for trying the service out.', guide: 'sandbox.md' },
  { name: 'Connections', description: 'The platforms of a customer.', guide: 'live-platforms.md' },
  { name: 'Objects', description: 'Records with their canonical objects.', guide: 'api.md' },
  {
    name: 'Propagate',
    description: 'Changes that reach every connected platform.',
    guide: 'write-through.md',
  },
  {
    name: 'Reconciliation',
    description: 'How the books of two platforms compare, and what people decided.',
    guide: 'statement.md',
  },
  {
    name: 'Events',
    description: 'The events of a customer, in order: in a feed to read, and delivered to endpoints.',
    guide: 'events.md',
  },
  {
    name: 'Terms',
    description: 'What is agreed with the customer: rates, precedence and rules.',
    guide: 'currency.md',
  },
  {
    name: 'Schema',
    description: 'Which fields there are, whose value counts, and what may be written.',
    guide: 'mappings.md',
  },
  { name: 'Transform', description: 'Translations without storing anything.', guide: 'mappings.md' },
  { name: 'Service', description: 'The service itself.', guide: 'operations.md' },
];

/** The address of a guide, relative to the server. OpenAPI 3.1 allows that, and a document does not know its host. */
export function guideAddress(guide: string): string {
  return `/docs/${guide}`;
}
