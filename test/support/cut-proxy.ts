/** A way to the Worker that can be cut: the address stays while connections break and Workers change. */
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

export interface CutProxy {
  readonly url: string
  /** Leads to this Worker from now on; `undefined`: nowhere. */
  readonly to: (url: string | undefined) => void
  /** Breaks every open connection. */
  readonly cut: () => void
  readonly stop: () => Promise<void>
}

export async function cutProxy(): Promise<CutProxy> {
  let target: URL | undefined
  const open = new Set<Socket>()
  const server = createServer((inner) => {
    if (!target) return inner.destroy()
    const outer = connect(Number(target.port), target.hostname)
    for (const [socket, other] of [
      [inner, outer],
      [outer, inner],
    ] as const) {
      open.add(socket)
      socket.on('error', () => other.destroy())
      socket.on('close', () => {
        open.delete(socket)
        other.destroy()
      })
      socket.pipe(other)
    }
  })
  const cut = () => {
    for (const socket of open) socket.destroy()
  }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    to(url) {
      target = url === undefined ? undefined : new URL(url)
    },
    cut,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        cut()
      }),
  }
}
