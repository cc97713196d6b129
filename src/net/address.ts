/**
 * Which hosts and ports a tool's request may go to. Pure: no look-up, no connection.
 * @module
 */
import ipaddr from 'ipaddr.js'
import { DispatchError } from '../errors.ts'

/** Ports below 1,024 that web servers use; above, all but the blocked ones are open. */
const lowPorts = new Set([80, 443])
/** The ports from 1,024 that the Fetch standard blocks (https://fetch.spec.whatwg.org/#bad-port). */
const blockedPorts = new Set([
  1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669,
  6679, 6697, 10080,
])
/** Names that never leave a network of one's own (RFC 6761, 6762, 8375 and common habit). */
const privateSuffixes = [
  'localhost',
  'local',
  'internal',
  'intranet',
  'corp',
  'home',
  'lan',
  'private',
  'home.arpa',
]
/** Public names whose answers are an address spelled in the name, or always loopback. */
const rebindingSuffixes = ['nip.io', 'sslip.io', 'xip.io', 'localtest.me', 'lvh.me']
/** Public in form, but Azure's link to the host of a virtual machine. */
const metadataAddresses = new Set(['168.63.129.16'])

/** One entry of a host list: `example.com`, `*.example.com`, `localhost:8080`, `[::1]:3000`. */
export interface HostRule {
  readonly hostname: string
  /** Matches names below `hostname`, not itself. */
  readonly below: boolean
  /** Absent: any port. */
  readonly port?: number
}

/** Reads a host list. Throws `THREEPASS_BAD_OPTION` for an entry that is no host or host:port. */
export function hostRules(option: string, entries: readonly string[]): readonly HostRule[] {
  return entries.map((entry) => hostRule(option, entry))
}

function hostRule(option: string, entry: string): HostRule {
  const below = entry.startsWith('*.')
  const host = below ? entry.slice(2) : entry
  // The scheme's own port is dropped by URL, so both schemes are tried.
  const [plain, secure] = ['http', 'https'].map((scheme) => parse(`${scheme}://${host}/`))
  if (!plain || !secure || /[/?#@\s]/.test(host) || host === '') {
    throw new DispatchError(
      'THREEPASS_BAD_OPTION',
      `${option} holds "${entry}": give a host or host:port such as "localhost:8080"`,
    )
  }
  const port = plain.port || secure.port
  return { hostname: bareHost(plain), below, ...(port !== '' && { port: Number(port) }) }
}

function parse(text: string): URL | undefined {
  try {
    return new URL(text)
  } catch {
    return undefined
  }
}

/** True when a rule names this host and, if it has one, this port. */
export function matchesHost(rules: readonly HostRule[], url: URL): HostRule | undefined {
  const host = bareHost(url)
  return rules.find(
    ({ hostname, below, port }) =>
      (below ? host.endsWith(`.${hostname}`) : host === hostname) &&
      (port === undefined || port === portOf(url)),
  )
}

/** The URL's host without brackets and the root's dot. */
export function bareHost({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, '').replace(/\.+$/, '')
}

function portOf({ port, protocol }: URL): number {
  return port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port)
}

/** Why a tool may not use this port, or `undefined`. */
export function portProblem(url: URL): string | undefined {
  const port = portOf(url)
  if (port >= 1_024 ? !blockedPorts.has(port) : lowPorts.has(port)) return undefined
  return `port ${port} is not open to tools (80, 443 and most from 1024 are)`
}

/**
 * Why a tool may not reach this host (as `bareHost` gives it, already normalised by `URL`), or
 * `undefined`. Addresses are let through only when they are public unicast.
 */
export function hostProblem(host: string): string | undefined {
  if (isAddress(host)) return addressProblem(host)
  if (!host.includes('.')) {
    return host === 'localhost'
      ? 'localhost is this machine (loopback)'
      : `"${host}" is a name without a dot: it can only be on a private network`
  }
  const own = privateSuffixes.find((suffix) => host.endsWith(`.${suffix}`))
  if (own) return `names under .${own} are private (and hold the cloud's metadata)`
  const rebinding = rebindingSuffixes.find((name) => host === name || host.endsWith(`.${name}`))
  return rebinding && `names under ${rebinding} can stand for private addresses`
}

/** True for an IPv4 or IPv6 address as `bareHost` gives it. */
export function isAddress(host: string): boolean {
  return ipaddr.isValid(host)
}

/** Why a tool may not reach this IP address, or `undefined`. Text that is no address is refused too. */
export function addressProblem(address: string): string | undefined {
  if (!isAddress(address)) return `"${address}" is not an IP address`
  // IPv4 inside IPv6 (::ffff:a.b.c.d) is judged as the IPv4 address that it is.
  const parsed = ipaddr.process(address)
  const shown = parsed.toString()
  if (metadataAddresses.has(shown)) return `${shown} is a cloud metadata address`
  const range = parsed.range()
  if (range !== 'unicast') return `${shown} is not a public address (${rangeNames[range] ?? range})`
  // The only block of IPv6 that is given out (RFC 4291 §2.4, IANA): also shuts out ::7f00:1.
  const global = parsed.kind() === 'ipv4' || ((parsed.toByteArray()[0] ?? 0) & 0xe0) === 0x20
  return global ? undefined : `${shown} is not a public address (reserved)`
}

const rangeNames: Readonly<Record<string, string>> = {
  carrierGradeNat: 'shared address space of a carrier',
  linkLocal: "link-local, where the cloud's metadata is",
  uniqueLocal: 'private',
  rfc6052: 'IPv4 behind NAT64',
  rfc6145: 'IPv4 translated',
  '6to4': 'IPv4 inside 6to4',
  teredo: 'IPv4 inside Teredo',
  deprecatedSiteLocal: 'site-local',
}
