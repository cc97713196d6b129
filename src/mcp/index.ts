/**
 * threepass/mcp: the tools of MCP servers. Needs the package `@modelcontextprotocol/client`, which is loaded
 * when the first list is read.
 * @module
 */
export type { McpAnswer, McpQuestion, McpSourceOptions, McpToolList } from './options.ts'
export { type McpSource, mcpSource } from './source.ts'
