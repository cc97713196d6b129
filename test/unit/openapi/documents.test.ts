/**
 * Documents that others have written: no operation gets lost without a word, every tool registers, calls
 * arrive as the document says. THREEPASS_OPENAPI names a folder of more documents (.json, .yaml).
 */
import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { upgrade } from '@scalar/openapi-upgrader'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { apiSource } from '../../../src/api/index.ts'
import { createDispatcher } from '../../../src/index.ts'
import { type ImportOptions, importOpenApi } from '../../../src/openapi/index.ts'
import { memoryWorkspace } from '../../../src/workspace/memory.ts'
import { echoServer, localFetch } from '../api/echo.ts'

const require = createRequire(import.meta.url)
const figma = require.resolve('@figma/rest-api-spec/openapi/openapi.yaml')
const netlify = require.resolve('@netlify/open-api/dist/swagger.json')
const examples = dirname(require.resolve('@readme/oas-examples/package.json'))
const pets = join(examples, '3.0/json/petstore.json')
const upgraded = (document: unknown) => upgrade(document as Record<string, unknown>, '3.1')

function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.(json|ya?ml)$/.test(file) && !/package(-lock)?\.json|tsconfig/.test(file))
    .map((file) => join(folder, file))
    .sort()
}

const more = process.env.THREEPASS_OPENAPI
const files = [...filesIn(examples), figma, netlify, ...(more ? filesIn(more) : [])]

type Paths = Record<string, Record<string, unknown> | undefined>

/** Counted by another hand than the one that imports. */
function operationsIn(text: string): number {
  const { paths = {} } = parse(text, { maxAliasCount: -1 }) as { paths?: Paths }
  const items = Object.entries(paths).map(([path, item]) => {
    const [, key] = /^#\/paths\/(.+)$/.exec(String(item?.$ref)) ?? []
    return path.startsWith('x-') ? {} : key ? paths[key.replaceAll('~1', '/')] : item
  })
  const methods = /^(get|head|post|put|delete|patch|options|trace)$/
  return items.flatMap((item) => Object.keys(item ?? {})).filter((key) => methods.test(key)).length
}

const imported = (file: string, options: ImportOptions = {}) =>
  importOpenApi(readFileSync(file, 'utf8'), {
    url: 'https://docs.example/openapi.json',
    upgrade: upgraded,
    ...options,
  })

/** By the end of the file's path: what of these documents no tool can express. */
const cookie =
  'POST /anything/apiKey: the security scheme "apiKey_cookie" (a key in a cookie) cannot be used'
const known: readonly (readonly [RegExp, readonly string[]])[] = [
  [
    /3\.0\/\w+\/response-http-behavior/,
    ['GET /cache', 'GET /status/302', 'GET /status/204'].map(
      (operation) => `${operation}: there is no security scheme "api_key"`,
    ),
  ],
  [/3\.0\/\w+\/security\./, [cookie]],
  [
    /3\.1\/\w+\/security\./,
    [
      cookie,
      'POST /anything/mutualTLS: the security scheme "mutualTLS" (mutualtls) cannot be used',
    ],
  ],
]

describe('documents of others', () => {
  it('are there', () => expect(files.length).toBeGreaterThan(100))

  it.each(files.map((file) => [file.replace(/^.*node_modules\//, ''), file]))(
    '%s',
    { timeout: 60_000 },
    async (_, file) => {
      const { definitions, problems } = await imported(file)
      const [, expected = []] = known.find(([which]) => which.test(file ?? '')) ?? []
      if (!more) {
        expect(problems.map((each) => `${each.definition}: ${each.message}`)).toEqual(expected)
      }
      const operations = operationsIn(readFileSync(file, 'utf8'))
      expect(definitions.length + problems.length).toBe(operations)

      const source = apiSource({ definitions, fetch, workspace: memoryWorkspace() })
      // Old examples have a server on plain http: what sends a secret is no tool there.
      const plain = source.health().problems
      for (const { message } of plain) expect(message).toMatch(/^a secret goes over https only/)
      expect(plain.length === 0 || /petstore/.test(file)).toBe(true)
      const { catalogue, diagnostics } = createDispatcher({
        tools: [],
        sources: [source],
        badTools: 'skip',
      })
      expect(diagnostics.filter(({ code }) => code !== 'repaired-schema')).toEqual([])
      // find_tools is the dispatcher's own.
      expect(catalogue.length - 1).toBe(definitions.length - plain.length)
      for (const { name } of catalogue) expect(name).toMatch(/^[a-z][a-z0-9_]{0,63}$/)
    },
  )
})

describe('calls of operations of others', () => {
  /** What the server heard of a call of one operation. */
  async function heardOf(file: string, operation: string, name: string, args: object) {
    const { url, heard } = await echoServer()
    const { definitions, problems } = await imported(file, {
      server: `${url}/base/`,
      include: { operations: [operation] },
      secrets: { PersonalAccessToken: 'FIGMA', netlifyAuth: 'NETLIFY' },
    })
    expect(problems).toEqual([])
    const workspace = memoryWorkspace()
    await workspace.write('/site/index.html', '<p>hi')
    const source = apiSource({
      definitions,
      fetch: localFetch,
      workspace,
      secrets: (secret) => `the-${secret}`,
    })
    const run = createDispatcher({
      tools: [],
      sources: [source],
      mode: 'full',
      unattended: 'allow',
    }).run()
    const { results } = await run.dispatch([{ id: 'c', name, arguments: args }])
    return { heard: heard[0], result: results[0] }
  }

  it('OpenAPI 3.1, in YAML, with a key', async () => {
    const args = { file_key: 'a/../b', ids: '1:2', depth: 2 }
    const { heard, result } = await heardOf(figma, 'getFile', 'api_get_file', args)
    expect(heard).toMatchObject({
      method: 'GET',
      url: '/base/v1/files/a%2F..%2Fb?ids=1%3A2&depth=2',
      headers: { 'x-figma-token': 'the-FIGMA' },
    })
    expect(result?.outcome).toBe('completed')
    expect(JSON.stringify(result)).not.toContain('the-FIGMA')
  })

  it('a body with alternatives', async () => {
    const args = { file_key: 'k', message: 'Hi', client_meta: { x: 1, y: 2 } }
    const { heard } = await heardOf(figma, 'postComment', 'api_post_comment', args)
    expect(heard?.url).toBe('/base/v1/files/k/comments')
    expect(JSON.parse(heard?.body ?? '')).toEqual({ message: 'Hi', client_meta: { x: 1, y: 2 } })

    const wrong = await heardOf(figma, 'postComment', 'api_post_comment', {
      ...args,
      client_meta: 1,
    })
    expect([wrong.result?.outcome, wrong.heard]).toEqual(['invalid', undefined])
  })

  it('Swagger 2.0, a file as the body, with a token', async () => {
    const args = { deploy_id: 'd 1', path: 'index.html', size: 5, body: '/site/index.html' }
    const { heard } = await heardOf(netlify, 'uploadDeployFile', 'api_upload_deploy_file', args)
    expect(heard).toMatchObject({
      method: 'PUT',
      url: '/base/deploys/d%201/files/index.html?size=5',
      body: '<p>hi',
      headers: { authorization: 'Bearer the-NETLIFY', 'content-type': 'application/octet-stream' },
    })
  })

  it('lists, forms, multipart, and fields that the server fills', async () => {
    const list = await heardOf(pets, 'findPetsByStatus', 'api_find_pets_by_status', {
      status: ['sold', 'pending'],
    })
    expect(list.heard?.url).toBe('/base/pet/findByStatus?status=sold&status=pending')
    const form = await heardOf(pets, 'updatePetWithForm', 'api_update_pet_with_form', {
      petId: 7,
      name: 'ä b',
    })
    expect(form.heard).toMatchObject({ url: '/base/pet/7', body: 'name=%C3%A4%20b' })
    const upload = await heardOf(pets, 'uploadFile', 'api_upload_file', {
      petId: 7,
      file: '/site/index.html',
    })
    expect(upload.heard?.headers['content-type']).toMatch(/^multipart\/form-data; boundary=/)
    expect(upload.heard?.body).toContain('<p>hi')
    const add = { name: 'Rex', photoUrls: ['u'], category: { name: 'dogs' } }
    const { heard } = await heardOf(pets, 'addPet', 'api_add_pet', add)
    expect(JSON.parse(heard?.body ?? '')).toEqual(add)
  })
})
