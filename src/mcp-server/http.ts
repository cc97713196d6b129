/**
 * Answers of the endpoint itself, before any server of the SDK has seen the request.
 * @module
 */

/** An error of JSON-RPC under an HTTP status. */
export function rpcError(status: number, message: string, code = -32_000): Response {
  return Response.json({ jsonrpc: '2.0', id: null, error: { code, message } }, { status })
}
