/**
 * All rules for one URL, in order; used for the first and for every redirect.
 * @module
 */
import { DispatchError } from '../errors.ts'
import {
  addressProblem,
  bareHost,
  type HostRule,
  hostProblem,
  isAddress,
  matchesHost,
  portProblem,
} from './address.ts'

export interface Guard {
  readonly allow: readonly HostRule[]
  readonly only?: readonly HostRule[]
  readonly resolve?: (host: string, signal?: AbortSignal) => Promise<readonly string[]>
}

/** Throws `THREEPASS_FETCH_REFUSED`; the text names the rule and never repeats credentials or a query. */
export function refuse(url: URL | string, rule: string): never {
  const shown = typeof url === 'string' ? url.slice(0, 200) : `${url.protocol}//${url.host}`
  throw new DispatchError('THREEPASS_FETCH_REFUSED', `refused to fetch ${shown}: ${rule}`)
}

/** Resolves when a tool may connect to this URL. Rejects with `THREEPASS_FETCH_REFUSED` otherwise. */
export async function checkUrl(url: URL, guard: Guard, signal: AbortSignal): Promise<void> {
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    refuse(url, `only http and https are allowed, not ${url.protocol}`)
  }
  if (url.username !== '' || url.password !== '') {
    refuse(url, 'credentials in a URL are not allowed; use a header')
  }
  const host = bareHost(url)
  if (guard.only && !matchesHost(guard.only, url)) {
    refuse(url, `"${host}" is not in the list of allowed hosts`)
  }
  const allowed = matchesHost(guard.allow, url)
  const port = allowed?.port === undefined ? portProblem(url) : undefined
  if (port) refuse(url, port)
  if (allowed) return
  const problem = hostProblem(host)
  if (problem) refuse(url, problem)
  if (guard.resolve) await checkAnswers(url, host, guard.resolve, signal)
}

async function checkAnswers(
  url: URL,
  host: string,
  resolve: NonNullable<Guard['resolve']>,
  signal: AbortSignal,
): Promise<void> {
  if (isAddress(host)) return
  const addresses = await resolve(host, signal)
  if (addresses.length === 0) refuse(url, `"${host}" has no address`)
  for (const address of addresses) {
    const problem = addressProblem(address)
    if (problem) refuse(url, `"${host}" points to a refused address: ${problem}`)
  }
}
