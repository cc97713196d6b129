// Installs what a fresh clone lacks: the packages of the lock file, and Chromium for the tests.
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, statSync } from 'node:fs'

const [major, minor] = process.versions.node.split('.').map(Number)
if (major < 20 || (major === 20 && minor < 19)) {
  console.error(`Node ${process.versions.node} is too old: threepass needs 20.19 or newer.`)
  process.exit(1)
}

function run(command, args, env = {}) {
  const { status, error } = spawnSync(command, args, {
    stdio: 'inherit',
    env: { ...process.env, ...env },
    shell: process.platform === 'win32',
  })
  if (status === 0) return
  console.error(`${command} ${args.join(' ')} failed${error ? `: ${error.message}` : ''}`)
  process.exit(status ?? 1)
}

/** Packages, unless the installed tree is as new as the lock file. */
export function installPackages() {
  const installed = 'node_modules/.package-lock.json'
  if (existsSync(installed) && statSync(installed).mtimeMs >= statSync('package-lock.json').mtimeMs)
    return
  console.log('Installing packages (npm ci) …')
  run('npm', ['ci', '--no-audit', '--no-fund'])
}

/** Path of a Chromium, installed through apt-get on Debian; elsewhere one line says what to do. */
export function installChromium() {
  const known = [
    process.env.CHROMIUM_PATH,
    '/usr/bin/chromium',
    '/usr/bin/chromium-browser',
    '/usr/bin/google-chrome',
    '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  ]
  const find = () => known.find((path) => path && existsSync(path))
  const found = find()
  if (found) return found
  const isDebian =
    existsSync('/etc/os-release') && /debian/i.test(readFileSync('/etc/os-release', 'utf8'))
  if (!isDebian) {
    console.error(
      'The browser tests need Chromium: install it, or set CHROMIUM_PATH to a Chrome or Chromium binary.',
    )
    process.exit(1)
  }
  console.log('Installing Chromium (apt-get) …')
  const sudo = process.getuid?.() === 0 ? [] : ['sudo']
  const apt = (...args) =>
    run([...sudo, 'apt-get'][0], [...sudo, 'apt-get', ...args].slice(1), {
      DEBIAN_FRONTEND: 'noninteractive',
    })
  apt('update', '-qq')
  apt('install', '-y', '-qq', 'chromium', 'fonts-dejavu-core')
  return find() ?? '/usr/bin/chromium'
}
