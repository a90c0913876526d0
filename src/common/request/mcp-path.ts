/** The route for agents, outside the API's prefix. */
export const MCP_ROUTE = 'mcp';

/** Whether a request is one of an agent. */
export function isMcpPath(path: string): boolean {
  return path === `/${MCP_ROUTE}`;
}
