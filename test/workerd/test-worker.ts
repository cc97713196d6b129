/** The Worker behind the adapter tests: a KV namespace and a SQLite Durable Object, nothing else. */
import { DurableObject } from 'cloudflare:workers'

export interface TestEnv {
  readonly KV: KVNamespace
  readonly FILES: R2Bucket
  readonly LOADER: WorkerLoader
  readonly OBJECT: DurableObjectNamespace<TestObject>
}

declare global {
  namespace Cloudflare {
    interface Env extends TestEnv {}
  }
}

export class TestObject extends DurableObject<TestEnv> {
  /** In memory: gone when the object was restarted. */
  readonly born: { readonly id: string } = { id: crypto.randomUUID() }
}

export default { fetch: () => new Response(null, { status: 404 }) } satisfies ExportedHandler
