/**
 * Secrets stay off the open network.
 * @module
 */
import { bareHost, hostProblem } from '../net/address.ts'
import type { LoadedApi } from './read-definition.ts'

/** Why a definition may not have its secret, or `undefined`. Private hosts are the fetch's to refuse. */
export function plainSecretProblem({ definition, auth }: LoadedApi): string | undefined {
  const url = new URL(definition.endpoint.url.split('?', 1)[0] ?? '')
  if (auth.length === 0 || url.protocol === 'https:' || hostProblem(bareHost(url))) return undefined
  return 'a secret goes over https only: endpoint.url must begin with https://'
}
