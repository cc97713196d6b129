/**
 * threepass/client: the HTTP API of the Worker, typed, on fetch alone.
 * @module
 */
export { type Client, createClient, type OpenRunOptions, type TokenScope } from './client.ts'
export type { OpenedRun, RemoteDispatch, RemoteRun, RunView } from './remote-run.ts'
export { type ClientOptions, type RequestProblem, requestProblem } from './request.ts'
export type { ServedCall, ServeOptions } from './serve-tools.ts'
