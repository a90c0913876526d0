import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';

/** The answer of a tool. */
export interface Called {
  /** Whether the tool refused or failed. */
  readonly isError: boolean;
  /** The blocks of text. */
  readonly texts: readonly string[];
  /** The structured content. Tests look into it freely. */
  readonly structured: ReturnType<typeof JSON.parse>;
}

/** An agent: the SDK's client with an API key. */
export interface Agent {
  readonly client: Client;
  call(name: string, given?: Record<string, unknown>): Promise<Called>;
  toolNames(): Promise<readonly string[]>;
  close(): Promise<void>;
}

/** Connects an agent to a running service. */
export async function startAgent(url: string, key: string): Promise<Agent> {
  const client = new Client({ name: 'tests', version: '1' });
  const transport = new StreamableHTTPClientTransport(new URL(`${url}/mcp`), {
    requestInit: { headers: { Authorization: `Bearer ${key}` } },
  });
  await client.connect(transport);
  return {
    client,
    call: async (name, given = {}) => {
      const {
        isError = false,
        content,
        structuredContent,
      } = (await client.callTool({
        name,
        arguments: given,
      })) as CallToolResult; // Without tasks there is no other form.
      const texts = content.flatMap((block) => (block.type === 'text' ? [block.text] : []));
      return { isError, texts, structured: structuredContent };
    },
    toolNames: async () => (await client.listTools()).tools.map(({ name }) => name),
    close: () => client.close(),
  };
}
