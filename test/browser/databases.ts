/** Databases of their own for each test, and what goes wrong with them. */
import { vi } from 'vitest'

export const freshName = (): string => `test ${crypto.randomUUID()}`

/** Resolves when the database is gone, which is only when nobody holds a connection to it. */
export function deleteDatabase(name: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.deleteDatabase(name)
    request.onsuccess = () => resolve()
    request.onerror = () => reject(request.error)
  })
}

/** The connections that are opened while `work` runs. */
export async function connectionsOf(work: () => Promise<unknown>): Promise<IDBDatabase[]> {
  const opened: IDBDatabase[] = []
  const open = IDBFactory.prototype.open
  const spy = vi.spyOn(IDBFactory.prototype, 'open').mockImplementation(function (
    this: IDBFactory,
    name,
    version,
  ) {
    const request = open.call(this, name, version)
    request.addEventListener('success', () => opened.push(request.result))
    return request
  })
  try {
    await work()
  } finally {
    spy.mockRestore()
  }
  return opened
}

/** An open request that ends with this error, or never. */
export function openThatFails(error?: DOMException): IDBOpenDBRequest {
  const request = new EventTarget()
  Object.defineProperty(request, 'error', { value: error })
  if (error !== undefined) {
    const fire = (): void => (request as IDBOpenDBRequest).onerror?.(new Event('error'))
    queueMicrotask(fire)
  }
  return request as IDBOpenDBRequest
}

export type Breakage = readonly [name: string, breakIt: () => void]

/** Every way in which a browser is known to deny IndexedDB. `vi.restoreAllMocks` and `vi.unstubAllGlobals` undo it. */
export const breakages: readonly Breakage[] = [
  ['is not there', () => vi.stubGlobal('indexedDB', undefined)],
  [
    'throws SecurityError when it is touched',
    () => {
      // vi.stubGlobal knows values only; this is what a blocked page does.
      vi.spyOn(globalThis, 'indexedDB', 'get').mockImplementation(() => {
        throw new DOMException('denied', 'SecurityError')
      })
    },
  ],
  ['fails to open with UnknownError', () => failOpen(new DOMException('disk', 'UnknownError'))],
  [
    'fails to open with InvalidStateError',
    () => failOpen(new DOMException('private mode', 'InvalidStateError')),
  ],
  [
    'throws from open',
    () => {
      vi.spyOn(IDBFactory.prototype, 'open').mockImplementation(() => {
        throw new DOMException('no', 'SecurityError')
      })
    },
  ],
  ['never answers an open', () => failOpen()],
]

function failOpen(error?: DOMException): void {
  vi.spyOn(IDBFactory.prototype, 'open').mockImplementation(() => openThatFails(error))
}
