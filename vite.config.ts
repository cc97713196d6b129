import { defineConfig } from 'vite'

/** Builds the page; the Worker serves it from `dist-web`. */
export default defineConfig({
  root: 'web-demo',
  build: {
    outDir: '../dist-web',
    emptyOutDir: true,
    target: 'es2022',
    chunkSizeWarningLimit: 1_500,
  },
  // The shell's gzip: a page has no zlib.
  resolve: { alias: { 'node:zlib': `${import.meta.dirname}/src/shell/no-zlib.ts` } },
  // For work on the page alone: `npx vite`, with the Worker running beside it.
  server: {
    host: '127.0.0.1',
    proxy: Object.fromEntries(
      ['/v1', '/openapi.json', '/docs', '/healthz'].map((path) => [path, 'http://127.0.0.1:8787']),
    ),
  },
})
