const paymentChange = `const change = {
  format: 'canonical',
  canonical_id: id,
  entity_type: 'payment',
  data: { notes: 'Checked' },
} as const;
const { propagation_id, propagated } = await client.propagate(change, { ifMatch: version, idempotencyKey: 'checked-1' });`;

/**
 * Samples of calls with the client, by the ID of the operation. `client` is a `TranslationClient`, `id` an ID and `version`
 * the version of an object. A test compiles the samples against the installed package.
 */
export const clientSamples: Readonly<Partial<Record<string, string>>> = {
  openDemoSession: 'const { api_key } = await client.openDemoSession();',
  closeDemoSession: 'await client.closeDemoSession();',
  getHealth: 'const { status } = await client.health();',
  getMe: 'const { key, platforms } = await client.me();',
  connectPlatform: "await client.connect('platform_a');",
  listConnections: 'const connections = await client.listConnections();',
  requestPlatform:
    "const { status, body } = await client.request('platform_a', { method: 'GET', path: '/vendors' });",
  listPlatformRequests: "for await (const sent of client.allRequests('platform_a')) console.log(sent);",
  listObjects: `for await (const record of client.allObjects({ platform: 'platform_a', entity_type: 'payment' })) {
  console.log(record.canonical_id, record.data);
}`,
  getObject: 'const { data, mappings, disagreements } = await client.object(id);',
  getObjectHistory:
    'for await (const entry of client.allObjectHistory(id)) console.log(entry.at, entry.fields);',
  propagateChange: paymentChange,
  listPropagations:
    "for await (const change of client.allPropagations({ state: 'held' })) console.log(change);",
  getPropagation: 'const { propagated } = await client.propagation(id);',
  decidePropagation: `await client.decidePropagation(id, {
  platform: 'platform_b',
  action: 'retry',
  reason: 'The period is open again',
  decided_by: 'Mariam, finance',
});`,
  transformRecord: `const { data, metadata } = await client.transform({
  source: 'platform_a',
  target: 'platform_b',
  entity_type: 'payment',
  data: { id: 1823456, amount: '1250.00' },
  context: { report: true },
});`,
  getStatement: "const { types } = await client.statement({ currency: 'USD' });",
  listCases:
    "for await (const one of client.allCases({ entity_type: 'contract' })) console.log(one.kind, one.label);",
  getCase: 'const { compared, history } = await client.case(id);',
  reviewCase: "await client.review(id, { owner: 'Mariam, finance' });",
  reviewCases: "await client.reviewAll({ ids: [id], owner: 'Mariam, finance' });",
  addCaseNote: "await client.addNote(id, { text: 'Asked the site', written_by: 'Mariam, finance' });",
  listDecisions:
    "for await (const decision of client.allDecisions({ status: 'standing' })) console.log(decision);",
  decideMatch: `const { effects } = await client.decide({
  decision: 'link',
  entity_type: 'payment',
  records: [
    { platform: 'platform_a', platform_id: '1823456' },
    { platform: 'platform_b', platform_id: '0d1c2b3a-4e5f-4a6b-8c7d-9e0f1a2b3c4d' },
  ],
  reason: 'One payment, keyed twice',
  decided_by: 'Mariam, finance',
});`,
  withdrawDecision:
    "await client.withdraw(id, { reason: 'They are two payments', decided_by: 'Mariam, finance' });",
  signStatement: `const { as_of, currency, digest } = await client.statement({ currency: 'USD' });
await client.sign({ as_of, currency, digest, role: 'prepared', signed_by: 'Mariam, finance' });`,
  listSignoffs: 'for await (const signoff of client.allSignoffs()) console.log(signoff);',
  getSignoff: 'const signoff = await client.signoff(id);',
  withdrawSignoff:
    "await client.withdrawSignoff(id, { reason: 'A payment was missing', decided_by: 'Mariam, finance' });",
  listEvents:
    "for await (const event of client.events({ type: 'object.changed' })) console.log(event.sequence, event.data);",
  listWebhookEndpoints: 'const endpoints = await client.webhookEndpoints();',
  createWebhookEndpoint: `const { id: endpoint, secret } = await client.createWebhookEndpoint({
  url: 'https://example.com/hooks/translation',
  types: ['object.changed', 'propagation.settled'],
});`,
  getWebhookEndpoint: 'const { enabled, failing_since } = await client.webhookEndpoint(id);',
  changeWebhookEndpoint: 'await client.changeWebhookEndpoint(id, { enabled: false });',
  deleteWebhookEndpoint: 'await client.removeWebhookEndpoint(id);',
  rotateWebhookSecret: 'const { secret } = await client.rotateWebhookSecret(id);',
  listWebhookDeliveries:
    'for await (const attempt of client.allWebhookDeliveries(id)) console.log(attempt.status, attempt.error);',
  resendWebhookEvents: "await client.resendWebhookEvents(id, { since: '2026-11-01T00:00:00Z' });",
  listFields: 'const fields = await client.fields();',
  defineField: `const field = await client.defineField('payment', 'cost_center', {
  codec: 'text',
  platforms: { platform_b: { path: 'costCenter', writable: true } },
});`,
  removeField: "await client.removeField('payment', 'cost_center');",
  listSchemas: 'const types = await client.schemas();',
  getSchema: "const { fields } = await client.schema('payment');",
  listRates: 'const rates = await client.rates();',
  setRate: "await client.setRate({ from: 'EUR', to: 'USD', rate: '1.08' });",
  removeRate: "await client.removeRate('EUR', 'USD');",
  listPrecedence: 'const { precedence } = await client.precedence();',
  setPrecedence: "await client.setPrecedence('payment', 'date', { platforms: ['platform_b'] });",
  clearPrecedence: "await client.clearPrecedence('payment', 'date');",
  listRules: 'const rules = await client.rules();',
  setRule: "await client.setRule('paid_above_billed', { level: 'warn' });",
  clearRule: "await client.clearRule('paid_above_billed');",
};
