/**
 * Registers the tests of a port's contract with whatever test runner the caller has.
 * @module
 */

/** The test functions of Vitest, Jest, Bun and the like: `import { describe, expect, it } from 'vitest'`. */
export interface TestApi {
  describe(name: string, body: () => void): unknown
  it: {
    (name: string, body: () => Promise<void>): unknown
    skip(name: string, body: () => Promise<void>): unknown
  }
  expect: Expect
}

/** The matchers that the contracts use. `toEqual` compares deeply and takes a missing property for `undefined`. */
export type Expect = (value: unknown) => {
  toBe(expected: unknown): unknown
  toEqual(expected: unknown): unknown
}

/** A declared gap: the test is reported as skipped. A name that no test has fails. */
export interface Skip {
  readonly test: string
  readonly reason: string
}

export interface ContractOptions<Store> {
  /** A fresh, empty store that shares nothing with any other. Called once or more for each test. */
  readonly make: () => Store | Promise<Store>
  /** Called after each test, for each store that it made. */
  readonly dispose?: (store: Store) => void | Promise<void>
  readonly skip?: readonly Skip[]
}

/** What a test of a contract is given. */
export interface Given<Store> {
  readonly make: () => Promise<Store>
  readonly expect: Expect
}

export interface ContractTest<Store, Extra = unknown> {
  readonly name: string
  readonly run: (given: Given<Store> & Extra) => Promise<void>
}

export interface Contract<Store, Extra> {
  readonly name: string
  readonly tests: readonly ContractTest<Store, Extra>[]
  readonly options: ContractOptions<Store>
  /** Goes to each test beside `make` and `expect`. */
  readonly extra: Extra
}

export function registerContract<Store, Extra>(
  api: TestApi,
  { name, tests, options, extra }: Contract<Store, Extra>,
): void {
  const reasons = new Map(options.skip?.map(({ test, reason }) => [test, reason]))
  api.describe(name, () => {
    for (const test of tests) {
      const reason = reasons.get(test.name)
      const body = (): Promise<void> => runTest(api.expect, test, options, extra)
      if (reason === undefined) api.it(test.name, body)
      else api.it.skip(`${test.name} (${reason})`, body)
    }
    api.it('every skip names a test of this contract and gives a reason', async () => {
      const names = new Set(tests.map((test) => test.name))
      const wrong = options.skip?.filter((skip) => !names.has(skip.test) || skip.reason === '')
      api.expect(wrong ?? []).toEqual([])
    })
  })
}

async function runTest<Store, Extra>(
  expect: Expect,
  test: ContractTest<Store, Extra>,
  options: ContractOptions<Store>,
  extra: Extra,
): Promise<void> {
  const made: Store[] = []
  const make = async (): Promise<Store> => {
    const store = await options.make()
    made.push(store)
    return store
  }
  try {
    await test.run({ ...extra, make, expect })
  } finally {
    for (const store of made) await options.dispose?.(store)
  }
}

/** What `action` threw or rejected with, `undefined` when it did not. */
export async function failureOf(action: () => unknown): Promise<unknown> {
  try {
    await action()
    return undefined
  } catch (error) {
    return error ?? new Error('Rejected with nothing')
  }
}
