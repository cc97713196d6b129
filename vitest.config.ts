import { cloudflareTest } from '@cloudflare/vitest-pool-workers'
import { playwright } from '@vitest/browser-playwright'
import { defineConfig } from 'vitest/config'
import { browserPort } from './test/support/api-server.ts'
import { chromiumOptions } from './test/support/chromium.ts'

// One project a runtime. No retries: a test that passes at the second try has failed.
export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'node',
          environment: 'node',
          globalSetup: ['test/support/api-server.ts'],
          setupFiles: ['test/support/fuzz.ts'],
          include: ['test/{unit,node,claims,package,cases}/**/*.test.ts'],
        },
      },
      {
        plugins: [
          cloudflareTest({
            // A Worker of the tests' own, so that the adapters do not depend on the product's wiring.
            main: './test/workerd/test-worker.ts',
            miniflare: {
              compatibilityDate: '2026-04-26',
              cf: false,
              kvNamespaces: ['KV'],
              r2Buckets: ['FILES'],
              workerLoaders: { LOADER: {} },
              durableObjects: { OBJECT: { className: 'TestObject', useSQLite: true } },
            },
          }),
        ],
        test: {
          name: 'workerd',
          globalSetup: ['test/support/api-server.ts'],
          include: ['test/workerd/**/*.test.ts'],
        },
      },
      {
        // Found late, a dependency would reload the page in the middle of a test.
        optimizeDeps: {
          include: [
            'idb-keyval',
            'eventsource-parser',
            'yaml',
            'zod',
            'ai',
            '@ai-sdk/react',
            'react',
            'react-dom/client',
          ],
        },
        test: {
          name: 'browser',
          globalSetup: ['test/support/api-server.ts'],
          include: ['test/browser/**/*.test.ts'],
          browser: {
            enabled: true,
            headless: true,
            api: { port: browserPort, strictPort: true },
            screenshotFailures: false,
            instances: [{ browser: 'chromium' }],
            provider: playwright({
              launchOptions: chromiumOptions,
            }),
          },
        },
      },
    ],
  },
})
