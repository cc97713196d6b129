/**
 * threepass/mcp-server: a dispatcher's tools for MCP clients. Needs the package `@modelcontextprotocol/server`,
 * which is loaded with the first request.
 * @module
 */
export { type McpHandler, mcpHandler } from './handler.ts'
export type { McpHandlerOptions, McpRunRequest } from './options.ts'
