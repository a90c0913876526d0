import { runNode } from './child.mjs';
import { tool } from './project.mjs';

/**
 * `npm run openapi:update`, after a meant change of the API. Writes the examples of the API's description, then the description
 * (docs/openapi.json), then the client's types: each is made from the one before.
 */
const env = { ...process.env, UPDATE_DOCS: '1' };
for (const test of ['test/e2e/openapi/document', 'test/client']) {
  const args = [tool('jest'), '--selectProjects', 'e2e', '--testPathPatterns', test];
  const { ok } = await runNode(args, { env, show: true });
  if (!ok) process.exit(1);
}
