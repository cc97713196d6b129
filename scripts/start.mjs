// npm start: page, Worker, local KV and Durable Object on 127.0.0.1, from a fresh clone.
import { spawn } from 'node:child_process'
import { installPackages } from './install.mjs'

installPackages()

const port = process.env.PORT ?? '8787'
if (!/^\d{1,5}$/.test(port)) {
  console.error(`PORT must be a number; it is "${port}".`)
  process.exit(1)
}
console.log('Building the page and starting the Worker …')
// wrangler itself, not npx: a signal must reach it, so that workerd ends with it.
const wrangler = spawn(
  process.execPath,
  [
    'node_modules/wrangler/bin/wrangler.js',
    'dev',
    '--ip',
    '127.0.0.1',
    '--port',
    port,
    '--show-interactive-dev-session=false',
  ],
  {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      ...process.env,
      WRANGLER_SEND_METRICS: 'false',
      CLOUDFLARE_CF_FETCH_ENABLED: 'false',
      WRANGLER_HIDE_BANNER: 'true',
    },
  },
)

let said = false
wrangler.stdout.setEncoding('utf8')
wrangler.stdout.on('data', (text) => {
  process.stdout.write(text)
  if (said || !text.includes('Ready on')) return
  said = true
  console.log(`\nthreepass is at http://127.0.0.1:${port}/  (API: /docs, stop: Ctrl-C)\n`)
})

let stopping = false
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.on(signal, () => {
    // Ctrl-C reaches the whole process group; a signal to this process alone must be handed on.
    if (!stopping) wrangler.kill('SIGTERM')
    stopping = true
  })
}
wrangler.on('exit', (code) => process.exit(stopping ? 0 : (code ?? 1)))
