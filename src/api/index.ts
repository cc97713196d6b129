/**
 * threepass/api: endpoints of REST APIs as tools `api_<name>`, from plain JSON definitions.
 * @module
 */
export type { ApiSecrets, SecretUse } from './credentials.ts'
export type {
  ApiAuth,
  ApiDefinition,
  ApiEndpoint,
  ApiMethod,
  ApiParameter,
  ParameterPlace,
  ParameterStyle,
  ParameterTraits,
  RateLimit,
} from './definition.ts'
export { type LoadedApi, type ReadApi, readApiDefinition } from './read-definition.ts'
export type { BoundParameter } from './read-parameters.ts'
export {
  type ApiDefinitions,
  type ApiSourceOptions,
  apiSource,
  type FoundDefinition,
} from './source.ts'
export { workspaceApiDefinitions } from './workspace-definitions.ts'
