import { upgrade } from '@scalar/openapi-upgrader'
import { describe, expect, it } from 'vitest'
import type { ApiDefinition } from '../../../src/api/index.ts'
import { type ImportOptions, importOpenApi } from '../../../src/openapi/index.ts'
import { serve } from '../net/server.ts'

const server = { url: 'https://api.example/v1' }

/** A document with these paths. */
const document = (paths: object, more: object = {}) => ({
  openapi: '3.1.0',
  info: { title: 't', version: '1' },
  servers: [server],
  paths,
  ...more,
})

/** The one definition of one operation. */
async function one(
  operation: object,
  {
    path = '/things/{id}',
    method = 'get',
    ...more
  }: { path?: string; method?: string } & Record<string, unknown> = {},
  options?: ImportOptions,
): Promise<ApiDefinition> {
  const given = document({ [path]: { [method]: operation } }, more)
  const { definitions, problems } = await importOpenApi(given, options)
  expect(problems).toEqual([])
  const [definition] = definitions
  if (!definition) throw new Error('no definition')
  return definition
}

/** What is wrong with one operation. */
async function wrong(operation: object, more: object = {}, options?: ImportOptions) {
  const given = document({ '/a': { post: operation }, '/good': { get: {} } }, more)
  const { definitions, problems } = await importOpenApi(given, options)
  expect(definitions.map(({ name }) => name)).toEqual(['get_good'])
  expect(problems).toHaveLength(1)
  expect(problems[0]?.definition).toBe('POST /a')
  return problems[0]?.message
}

const json = (schema: object, required = true) => ({
  requestBody: { required, content: { 'application/json': { schema } } },
})

describe('an operation', () => {
  it('becomes a definition', async () => {
    const definition = await one(
      {
        operationId: 'getThing',
        summary: 'One thing.',
        description: 'With all of it.',
        parameters: [
          { name: 'id', in: 'path', required: true, schema: { type: 'string' } },
          {
            name: 'fields',
            in: 'query',
            description: 'Which.',
            schema: { type: 'array', items: { type: 'string' } },
            explode: false,
          },
          { name: 'X-Trace', in: 'header', required: true, schema: { type: 'string' } },
          { name: 'Accept', in: 'header', required: true, schema: { type: 'string' } },
        ],
      },
      {},
      { prefix: 'acme' },
    )
    expect(definition).toEqual({
      name: 'acme_get_thing',
      description: 'One thing.\nWith all of it.',
      concurrent: true,
      endpoint: { url: 'https://api.example/v1/things/{id}', method: 'GET' },
      parameters: {
        id: { type: 'string', in: 'path' },
        fields: {
          type: 'array',
          items: { type: 'string' },
          description: 'Which.',
          explode: false,
          in: 'query',
        },
        'X-Trace': { type: 'string', in: 'header' },
      },
      required: ['id', 'X-Trace'],
    })
  })

  it('that is deprecated, or says nothing, is told of all the same', async () => {
    const old = await one({ deprecated: true, summary: 'Old.' })
    expect([old.name, old.description]).toEqual(['get_things_by_id', 'Deprecated. Old.'])
    expect((await one({})).description).toBe('GET /things/{id}')
    expect((await one({ description: 'x'.repeat(3_000) })).description).toHaveLength(1_024)
  })

  it('has names that are different and fit, whatever the document calls it', async () => {
    const long = `a${'Very'.repeat(30)}Long`
    const { definitions } = await importOpenApi(
      document({
        '/a': {
          get: { operationId: 'pets/list-all' },
          post: { operationId: 'Pets.listAll' },
          put: { operationId: 'HTTPGetURL2' },
        },
        '/b': {
          get: { operationId: long },
          post: { operationId: `${long}er` },
          put: { operationId: ' ' },
          delete: { operationId: '2fa' },
        },
        '/c/{名}/x': { get: {}, post: { operationId: '名前' } },
        'x-other': { get: {} },
      }),
    )
    const names = definitions.map(({ name }) => name)
    expect(names).toEqual([
      'pets_list_all',
      'pets_list_all_2',
      'http_get_url2',
      expect.stringMatching(/^a_very[a-z_]{54}$/),
      expect.stringMatching(/^a_very[a-z_]{52}_2$/),
      'put_b',
      'op_2fa',
      'get_c_by_x',
      'post_c_by_x',
    ])
  })

  it('has the parameters of its path, and its own in their place', async () => {
    const { definitions } = await importOpenApi(
      document(
        {
          '/{id}': {
            parameters: [
              { $ref: '#/components/parameters/id' },
              { name: 'q', in: 'query', schema: { type: 'string' } },
            ],
            get: { parameters: [{ name: 'q', in: 'query', schema: { type: 'integer' } }] },
          },
        },
        {
          components: {
            parameters: {
              id: { name: 'id', in: 'path', required: true, schema: { type: 'integer' } },
            },
          },
        },
      ),
    )
    expect(definitions[0]?.parameters).toEqual({
      id: { type: 'integer', in: 'path' },
      q: { type: 'integer', in: 'query' },
    })
  })

  it('has argument names that every provider takes, and none twice', async () => {
    const { parameters, required } = await one(
      {
        parameters: [
          { name: 'filter[name]', in: 'query', schema: {} },
          { name: '$top', in: 'query', schema: {} },
          { name: 'id', in: 'query', schema: {} },
          { name: '名', in: 'query', schema: {} },
        ],
        ...json({ type: 'object', properties: { id: {}, top: {} }, required: ['id'] }),
      },
      { method: 'post' },
    )
    expect(parameters).toEqual({
      filter_name: { in: 'query', name: 'filter[name]' },
      top: { in: 'query', name: '$top' },
      id: { in: 'query' },
      query: { in: 'query', name: '名' },
      path_id: { type: 'string', in: 'path', name: 'id' },
      body_id: { in: 'body', name: 'id' },
      body_top: { in: 'body', name: 'top' },
    })
    expect(required).toEqual(['path_id', 'body_id'])
  })

  it('leaves optional cookies and parameters of another path out', async () => {
    const { parameters } = await one({
      parameters: [
        { name: 'session', in: 'cookie', schema: {} },
        { name: 'gone', in: 'path', required: true, schema: {} },
      ],
    })
    expect(Object.keys(parameters ?? {})).toEqual(['id'])
  })

  it('sends no default of the server by itself, unless something must be sent', async () => {
    const { parameters } = await one(
      {
        parameters: [
          { name: 'v', in: 'query', required: true, schema: { default: '2024' } },
          { name: 'n', in: 'query', description: 'How many.', schema: { default: 30 } },
        ],
        ...json({ properties: { private: { type: 'boolean', default: false } } }),
      },
      { path: '/a', method: 'patch' },
    )
    expect(parameters).toEqual({
      v: { default: '2024', in: 'query' },
      n: { description: 'How many. Default: 30.', in: 'query' },
      private: { type: 'boolean', description: 'Default: false.', in: 'body' },
    })
  })

  it('has no fragment in its address', async () => {
    const { endpoint } = await one({}, { path: '/#Action={x}' })
    expect(endpoint.url).toBe('https://api.example/v1/')
  })
})

describe('styles of parameters', () => {
  it.each([
    ['path', {}, {}],
    ['path', { style: 'simple', explode: true }, { explode: true }],
    ['path', { style: 'label' }, { style: 'label' }],
    ['path', { style: 'matrix', explode: false }, { style: 'matrix', explode: false }],
    ['query', { style: 'form' }, {}],
    [
      'query',
      { style: 'spaceDelimited', explode: false },
      { style: 'spaceDelimited', explode: false },
    ],
    ['query', { style: 'pipeDelimited' }, { style: 'pipeDelimited' }],
    ['query', { style: 'deepObject', explode: true }, { style: 'deepObject', explode: true }],
    ['header', { explode: true }, { explode: true }],
  ])('%s %j', async (place, style, expected) => {
    const { parameters } = await one({
      parameters: [{ name: 'id', in: place, required: true, schema: { type: 'array' }, ...style }],
    })
    const [, parameter] =
      Object.entries(parameters ?? {}).find(([, { in: at }]) => at === place) ?? []
    expect(parameter).toEqual({ type: 'array', in: place, ...expected })
  })

  it('content is JSON', async () => {
    const { parameters } = await one({
      parameters: [
        { name: 'q', in: 'query', content: { 'application/json': { schema: { type: 'object' } } } },
      ],
    })
    expect(parameters?.q).toEqual({ type: 'object', style: 'json', in: 'query' })
  })

  it('one that there is not is a problem', async () => {
    const parameters = [{ name: 'q', in: 'query', style: 'wild', schema: {} }]
    expect(await wrong({ parameters })).toContain('parameters.q.style must be form')
  })
})

describe('bodies', () => {
  const post = { path: '/a', method: 'post' }

  it('of a plain object become arguments; what only the server writes does not', async () => {
    const components = {
      schemas: {
        Base: { type: 'object', properties: { kind: { enum: ['a'] } }, required: ['kind'] },
        Stamp: { type: 'string', readOnly: true },
        Thing: {
          allOf: [
            { $ref: '#/components/schemas/Base' },
            {
              type: 'object',
              properties: {
                id: { type: 'string', readOnly: true },
                at: { $ref: '#/components/schemas/Stamp' },
                by: { $ref: '#/components/schemas/Base', readOnly: true },
                secret: { type: 'string', writeOnly: true, description: 'Mine.' },
                part: {
                  type: 'object',
                  properties: {
                    by: { $ref: '#/components/schemas/Base', readOnly: true },
                    id: { readOnly: true },
                    n: {},
                  },
                  required: ['id', 'n'],
                },
              },
              required: ['id', 'secret'],
            },
          ],
        },
      },
    }
    const definition = await one(json({ $ref: '#/components/schemas/Thing' }), {
      ...post,
      components,
    })
    expect(definition.parameters).toEqual({
      kind: { enum: ['a'], in: 'body' },
      secret: { type: 'string', description: 'Mine.', in: 'body' },
      part: { type: 'object', properties: { n: {} }, required: ['n'], in: 'body' },
    })
    expect(definition.required).toEqual(['kind', 'secret'])
    expect(definition.endpoint).toMatchObject({ method: 'POST' })
    expect(definition.concurrent).toBeUndefined()
  })

  it.each<[string, object]>([
    ['a list', { type: 'array', items: { type: 'integer' } }],
    ['alternatives', { oneOf: [{ type: 'object' }, { type: 'array' }] }],
    ['a map', { type: 'object', properties: { a: {} }, additionalProperties: { type: 'string' } }],
    ['no known fields', { type: 'object' }],
    ['rules over fields', { type: 'object', properties: { a: {} }, minProperties: 1 }],
  ])('of %s are one argument', async (_, schema) => {
    const { parameters, required } = await one(json(schema), post)
    expect(parameters).toEqual({ body: { ...schema, in: 'whole_body' } })
    expect(required).toEqual(['body'])
  })

  it('that need not be sent are one argument', async () => {
    const schema = { type: 'object', properties: { a: {} }, required: ['a'] }
    const { parameters, required } = await one(json(schema, false), post)
    expect(parameters).toEqual({ body: { ...schema, in: 'whole_body' } })
    expect(required).toBeUndefined()
  })

  const body = (content: object) => ({ requestBody: { required: true, content } })

  it('the kind of the body: JSON first, and its media type when it is a special one', async () => {
    const schema = { type: 'array' }
    const endpoint = async (...medias: string[]) => {
      const content = Object.fromEntries(medias.map((media) => [media, { schema }]))
      const { url: _, method: __, ...rest } = (await one(body(content), post)).endpoint
      return rest
    }
    expect(await endpoint('text/xml', 'application/json')).toEqual({})
    expect(await endpoint('*/*')).toEqual({})
    expect(await endpoint('application/json-patch+json', 'application/merge-patch+json')).toEqual({
      headers: { 'content-type': 'application/merge-patch+json' },
    })
    expect(await endpoint('application/json; charset=utf-8')).toEqual({
      headers: { 'content-type': 'application/json; charset=utf-8' },
    })
    expect(await endpoint('application/x-www-form-urlencoded')).toEqual({ content_type: 'form' })
    expect(await endpoint('multipart/form-data')).toEqual({ content_type: 'multipart' })
    expect(await endpoint('text/csv')).toEqual({
      content_type: 'raw',
      headers: { 'content-type': 'text/csv' },
    })
  })

  it('forms, by the styles of their encoding', async () => {
    const properties = {
      a: { type: 'array' },
      deep: { type: 'object' },
      plain: { type: 'object' },
      j: {},
    }
    const encoding = {
      a: { explode: false },
      deep: { style: 'deepObject', explode: true },
      j: { contentType: 'application/json' },
    }
    const { parameters } = await one(
      body({
        'application/x-www-form-urlencoded': { schema: { type: 'object', properties }, encoding },
      }),
      post,
    )
    expect(parameters).toEqual({
      a: { type: 'array', explode: false, in: 'body' },
      deep: { type: 'object', style: 'deepObject', explode: true, in: 'body' },
      plain: { type: 'object', style: 'json', in: 'body' },
      j: { style: 'json', in: 'body' },
    })
  })

  it('a form that need not be sent asks for none of its fields', async () => {
    const schema = { properties: { a: {} }, required: ['a'] }
    const requestBody = { content: { 'application/x-www-form-urlencoded': { schema } } }
    const { parameters, required } = await one({ requestBody }, post)
    expect([parameters, required]).toEqual([{ a: { in: 'body' } }, undefined])
  })

  it('multipart, with files', async () => {
    const properties = {
      file: { type: 'string', format: 'binary', description: 'It.' },
      files: { type: 'array', items: { type: 'string', contentMediaType: 'image/png' } },
      base64: { type: 'string', contentMediaType: 'image/png', contentEncoding: 'base64' },
    }
    const { parameters, required } = await one(
      body({ 'multipart/form-data': { schema: { properties, required: ['file'] } } }),
      post,
    )
    const path = 'Path of a file of the workspace.'
    expect(parameters).toMatchObject({
      file: { type: 'string', description: `It. ${path}`, file: true, in: 'body' },
      files: { type: 'array', items: { type: 'string' }, description: path, file: true },
      base64: { type: 'string' },
    })
    expect(parameters?.base64?.file).toBeUndefined()
    expect(required).toEqual(['file'])
  })

  it.each([
    ['text/plain', { type: 'string' }, undefined, 'Text (text/plain).'],
    ['application/xml', { type: 'object' }, undefined, 'Text (application/xml).'],
    [
      'application/octet-stream',
      {},
      true,
      'Path of a file of the workspace (application/octet-stream).',
    ],
    ['text/plain', { format: 'binary' }, true, 'Path of a file of the workspace (text/plain).'],
  ])('%s %j', async (media, schema, file, description) => {
    const { parameters } = await one(body({ [media]: { schema } }), post)
    expect(parameters?.body).toEqual({
      type: 'string',
      description,
      in: 'whole_body',
      ...(file && { file }),
    })
  })

  it('of a GET are left out', async () => {
    const { parameters } = await one(json({ properties: { a: {} } }), { path: '/a' })
    expect(parameters).toEqual({})
  })
})

describe('schemas', () => {
  const schemas = (all: object, more: object = {}) => ({ components: { schemas: all }, ...more })
  const q = (schema: object) => ({ parameters: [{ name: 'q', in: 'query', schema }] })

  it('keep what they share, once, also in a circle', async () => {
    const { parameters, $defs } = await one(
      q({ type: 'array', items: { $ref: '#/components/schemas/a~1b%20c' } }),
      schemas({
        'a/b c': { type: 'object', properties: { next: { $ref: '#/components/schemas/Node' } } },
        Node: {
          properties: {
            up: { $ref: '#/components/schemas/Node' },
            back: { $ref: '#/components/schemas/a~1b%20c' },
          },
        },
        Unused: {},
      }),
    )
    expect(parameters?.q).toEqual({ type: 'array', items: { $ref: '#/$defs/a_b_c' }, in: 'query' })
    expect($defs).toEqual({
      a_b_c: { type: 'object', properties: { next: { $ref: '#/$defs/Node' } } },
      Node: { properties: { up: { $ref: '#/$defs/Node' }, back: { $ref: '#/$defs/a_b_c' } } },
    })
  })

  it('of one name in different places get different names', async () => {
    const { $defs } = await one(
      q({ anyOf: [{ $ref: '#/components/schemas/X' }, { $ref: '#/components/x-more/X' }] }),
      { components: { schemas: { X: { type: 'string' } }, 'x-more': { X: { type: 'integer' } } } },
    )
    expect($defs).toEqual({ X: { type: 'string' }, X_2: { type: 'integer' } })
  })

  it('lead anywhere in the document', async () => {
    const { definitions } = await importOpenApi(
      document({
        '/a': { get: q({ $ref: '#/paths/~1b/get/parameters/0/schema' }) },
        '/b': { get: q({ type: 'boolean' }) },
      }),
    )
    expect(definitions[0]?.parameters?.q).toEqual({ type: 'boolean', in: 'query' })
  })

  it.each<[string, object, object]>([
    ['nullable', { type: 'string', nullable: true }, { type: ['string', 'null'] }],
    [
      'nullable with an enum',
      { type: 'string', enum: ['a'], nullable: true },
      { type: ['string', 'null'], enum: ['a', null] },
    ],
    [
      'nullable beside a combination',
      { nullable: true, description: 'D.', allOf: [{ type: 'string' }] },
      { description: 'D.', anyOf: [{ allOf: [{ type: 'string' }] }, { type: 'null' }] },
    ],
    ['not nullable', { type: 'string', nullable: false }, { type: 'string' }],
    [
      'a strict bound',
      { minimum: 1, exclusiveMinimum: true, maximum: 5, exclusiveMaximum: false },
      { exclusiveMinimum: 1, maximum: 5 },
    ],
    ['a type of Swagger', { type: 'file' }, { type: 'string' }],
    ['a strict bound without a bound', { exclusiveMaximum: true }, {}],
    ['a bound of 3.1', { exclusiveMaximum: 5 }, { exclusiveMaximum: 5 }],
    [
      'what tells nothing',
      { type: 'string', example: 'x', xml: {}, externalDocs: {}, 'x-y': 1, deprecated: true },
      { type: 'string' },
    ],
    [
      'a boolean as required',
      { type: 'object', required: true, properties: { a: true } },
      { type: 'object', properties: { a: true } },
    ],
    ['a boolean', true as unknown as object, {}],
    [
      'properties of names that are keywords',
      { properties: { nullable: { type: 'string' }, example: {}, $ref: { type: 'string' } } },
      { properties: { nullable: { type: 'string' }, example: {}, $ref: { type: 'string' } } },
    ],
    [
      'tuples and conditions',
      {
        prefixItems: [{ nullable: true, type: 'string' }],
        if: { type: 'array' },
        patternProperties: { '^a': { nullable: true, type: 'null' } },
      },
      {
        prefixItems: [{ type: ['string', 'null'] }],
        if: { type: 'array' },
        patternProperties: { '^a': { type: ['null'] } },
      },
    ],
  ])('%s', async (_, schema, expected) => {
    const { parameters } = await one(q(schema))
    expect(parameters?.q).toEqual({ ...expected, in: 'query' })
  })

  it('that are nullable references accept null', async () => {
    const { parameters } = await one(
      q({ type: 'array', items: { $ref: '#/components/schemas/X', nullable: true } }),
      schemas({ X: { type: 'string' } }),
    )
    expect(parameters?.q?.items).toEqual({ anyOf: [{ $ref: '#/$defs/X' }, { type: 'null' }] })
  })

  it('that are too large lose descriptions, then depths, before the operation is lost', async () => {
    /** A tree of references, some levels deep, each with so many fields. */
    const tree = async (fields: number) => {
      const all: Record<string, object> = {}
      for (let level = 0; level <= 5; level += 1) {
        for (let n = 0; n < (level === 0 ? 1 : 20); n += 1) {
          const properties: [string, object][] = Array.from({ length: fields }, (_, field) => [
            `p${field}`,
            level < 5 ? { $ref: `#/components/schemas/L${level + 1}_${field % 20}` } : {},
          ])
          const description = 'd'.repeat(400)
          // A field of that name is none.
          properties.push(['description', { type: 'string', description: 'F.' }])
          all[`L${level}_${n}`] = { description, properties: Object.fromEntries(properties) }
        }
      }
      const root = { type: 'array', items: { $ref: '#/components/schemas/L0_0' } }
      const { $defs = {} } = await one(q(root), schemas(all))
      return $defs
    }
    expect((await tree(20)).L5_0?.description).toBe('d'.repeat(400))
    const bare = await tree(40)
    expect(bare.L5_0).toEqual({
      properties: expect.objectContaining({ p39: {}, description: { type: 'string' } }),
    })
    const cut = await tree(56)
    expect(cut.L0_0?.properties).toMatchObject({ p0: { $ref: '#/$defs/L1_0' } })
    expect(cut.L5_0).toEqual({ description: 'Any L5_0.' })
    const more = await tree(72)
    expect(more.L4_0).toEqual({ description: 'Any L4_0.' })
    expect(more.L5_0).toBeUndefined()
  })

  it('too large by themselves are a problem', async () => {
    const huge = {
      type: 'array',
      items: { enum: Array.from({ length: 20_000 }, (_, n) => `v${n}`) },
    }
    expect(await wrong(json(huge))).toContain('is larger than')
  })

  it('cannot reach a prototype', async () => {
    expect(await wrong(json({ $ref: '#/components/__proto__' }))).toContain('leads nowhere')
    const text = JSON.stringify(document({ '/a': { get: q({ type: 'object' }) } })).replace(
      '"type":"object"',
      '"type":"object","properties":{"__proto__":{"type":"string"},"constructor":{"__proto__":{"type":"string"}}}',
    )
    const { definitions } = await importOpenApi(text)
    expect(definitions[0]?.parameters?.q?.properties).toHaveProperty('constructor')
    const properties = Object(definitions[0]?.parameters?.q?.properties)
    expect(Object.getPrototypeOf(properties)).toBe(Object.prototype)
    expect(Object.getPrototypeOf(properties.constructor)).toBe(Object.prototype)
  })
})

describe('servers', () => {
  const url = async (servers: unknown, options?: ImportOptions) =>
    (await one({}, { path: '/a', servers }, options)).endpoint.url

  it('the first that is http(s), with its variables', async () => {
    const servers = [
      { url: 'ws://api.example' },
      {
        url: 'https://{region}.api.example:{port}/{v}/',
        variables: { region: { default: 'eu' }, port: { default: '8443' }, v: { default: 'v2' } },
      },
    ]
    expect(await url(servers)).toBe('https://eu.api.example:8443/v2/a')
    expect(await url(servers, { variables: { region: 'us' } })).toBe(
      'https://us.api.example:8443/v2/a',
    )
    expect(await url(servers, { server: 'https://mine.example/' })).toBe('https://mine.example/a')
  })

  it('a relative one is below where the document is from', async () => {
    const options = { url: 'https://docs.example/specs/openapi.json' }
    expect(await url([{ url: '../v3' }], options)).toBe('https://docs.example/v3/a')
    expect(await url(undefined, options)).toBe('https://docs.example/a')
  })

  it('of the operation, else of the path, else of the document', async () => {
    const { definitions } = await importOpenApi(
      document({
        '/a': {
          servers: [{ url: 'https://path.example' }],
          get: { servers: [{ url: 'https://own.example' }] },
          post: {},
        },
        '/b': { get: {} },
      }),
    )
    expect(definitions.map(({ endpoint }) => new URL(endpoint.url).host)).toEqual([
      'own.example',
      'path.example',
      'api.example',
    ])
  })

  it.each([
    [[], 'names no server'],
    [[{ url: '/v1' }], 'is relative'],
    [[{ url: 'https://{x}.example' }], 'has a variable without a value'],
    [[{ url: 'ftp://a.example' }], 'is not http(s)'],
  ])('%j is a problem', async (servers, message) => {
    const { definitions, problems } = await importOpenApi(
      document({ '/a': { get: {} } }, { servers }),
    )
    expect(definitions).toEqual([])
    expect(problems).toEqual([{ definition: 'GET /a', message: expect.stringContaining(message) }])
  })
})

describe('security', () => {
  const securitySchemes = {
    token: { type: 'http', scheme: 'Bearer' },
    user: { type: 'http', scheme: 'basic' },
    digest: { type: 'http', scheme: 'digest' },
    key: { type: 'apiKey', in: 'header', name: 'X-Key' },
    param: { type: 'apiKey', in: 'query', name: 'k' },
    cookie: { type: 'apiKey', in: 'cookie', name: 'c' },
    oauth: { type: 'oauth2', flows: {} },
    oidc: { type: 'openIdConnect', openIdConnectUrl: 'x' },
    alias: { $ref: '#/components/securitySchemes/key' },
  }
  const more = { components: { securitySchemes } }
  const auth = async (security: unknown, secrets?: Record<string, string>, whole: object = {}) =>
    (await one({ security }, { path: '/a', ...more, ...whole }, secrets ? { secrets } : {})).auth

  it.each([
    ['token', { type: 'bearer', secret: 'token' }],
    ['user', { type: 'basic', secret: 'user' }],
    ['key', { type: 'apikey', header: 'X-Key', in: 'header', secret: 'key' }],
    ['param', { type: 'apikey', header: 'k', in: 'query', secret: 'param' }],
    ['oauth', { type: 'bearer', secret: 'oauth' }],
    ['oidc', { type: 'bearer', secret: 'oidc' }],
    ['alias', { type: 'apikey', header: 'X-Key', in: 'header', secret: 'alias' }],
  ])('%s', async (scheme, expected) => {
    expect(await auth([{ [scheme]: [] }])).toEqual([expected])
  })

  it('takes the way that can be gone, and the one that there are secrets for', async () => {
    expect(await auth([{ cookie: [] }, { token: [] }])).toMatchObject([{ secret: 'token' }])
    expect(
      await auth([{ token: [] }, { key: [], param: [] }], { key: 'K', param: 'P' }),
    ).toMatchObject([{ secret: 'K' }, { secret: 'P' }])
    expect(await auth([{ token: [] }, {}])).toBeUndefined()
    expect(await auth([{ token: [] }, {}], { token: 'T' })).toMatchObject([{ secret: 'T' }])
  })

  it("is the document's unless the operation has its own, or none", async () => {
    const security = [{ token: [] }]
    expect(await auth(undefined, undefined, { security })).toMatchObject([{ secret: 'token' }])
    expect(await auth([], undefined, { security })).toBeUndefined()
  })

  it.each([
    [[{ cookie: [] }], 'the security scheme "cookie" (a key in a cookie) cannot be used'],
    [[{ digest: [] }], 'the security scheme "digest" (digest) cannot be used'],
    [[{ nobody: [] }], 'there is no security scheme "nobody"'],
  ])('%j is a problem', async (security, message) => {
    expect(await wrong({ security }, more)).toBe(message)
  })
})

describe('what cannot be expressed is one problem', () => {
  it.each<[string, object, string]>([
    [
      'a cookie that must be',
      { parameters: [{ name: 's', in: 'cookie', required: true }] },
      'the parameter "s" is a cookie',
    ],
    [
      'a place that there is not',
      { parameters: [{ name: 's', in: 'querystring' }] },
      'the parameter "s" is in "querystring"',
    ],
    ['no name', { parameters: [{ in: 'query' }] }, 'it has a parameter without a name'],
    [
      'a reference that leads nowhere',
      { parameters: [{ $ref: '#/components/parameters/no' }] },
      'the reference #/components/parameters/no leads nowhere',
    ],
    ['an anchor', json({ $ref: '#anchor' }), 'the reference #anchor leads nowhere'],
    [
      'a reference in a shared schema',
      json({ type: 'array', items: { $ref: '#/components/schemas/Broken' } }),
      'the reference #/components/schemas/no leads nowhere',
    ],
    ['references in a circle', json({ $ref: '#/components/schemas/Round' }), 'leads in a circle'],
    [
      'a schema that is itself',
      json({ type: 'array', items: { $ref: '#/components/schemas/Self' } }),
      'refers to itself endlessly',
    ],
    [
      'another document',
      json({ $ref: 'other.yaml#/X' }),
      'the reference other.yaml#/X leads to another document: nothing is fetched without the option fetch',
    ],
  ])('%s', async (_, operation, message) => {
    const schemas = {
      Broken: { properties: { a: { $ref: '#/components/schemas/no' } } },
      Round: { $ref: '#/components/schemas/Round2' },
      Round2: { $ref: '#/components/schemas/Round' },
      Self: { allOf: [{ $ref: '#/components/schemas/Self' }] },
    }
    expect(await wrong(operation, { components: { schemas } })).toContain(message)
  })

  it('methods that nobody may send, paths that lead nowhere', async () => {
    const { definitions, problems } = await importOpenApi(
      document({ '/a': { options: {}, trace: {}, head: {} }, '/b': { $ref: '#/no' } }),
    )
    expect(definitions.map(({ endpoint }) => endpoint.method)).toEqual(['HEAD'])
    expect(problems).toEqual([
      { definition: 'OPTIONS /a', message: 'no tool is made of the method OPTIONS' },
      { definition: 'TRACE /a', message: 'no tool is made of the method TRACE' },
      { definition: '/b', message: 'the reference #/no leads nowhere' },
    ])
  })
})

describe('the document', () => {
  it.each([
    ['{"openapi": "3.0.0",', expect.stringMatching(/JSON|Expected/)],
    ['a: [b', expect.any(String)],
    ['just words', 'it is no OpenAPI 3 document: it has no field "openapi" such as "3.1.0"'],
    [null, 'it is no OpenAPI 3 document: it has no field "openapi" such as "3.1.0"'],
    [
      { openapi: '4.0.0' },
      'it is no OpenAPI 3 document: it has no field "openapi" such as "3.1.0"',
    ],
    [{ swagger: '2.0' }, 'it is Swagger 2.0: pass the option upgrade, or convert it to OpenAPI 3'],
  ])('%j is a problem', async (given, message) => {
    expect(await importOpenApi(given)).toEqual({
      definitions: [],
      problems: [{ definition: 'document', message }],
    })
  })

  it('may be YAML', async () => {
    const { definitions, problems } = await importOpenApi(`
openapi: 3.0.3
servers: [{ url: https://api.example }]
x-common: &common { summary: Both. }
paths:
  /a:
    get: { <<: *common, operationId: readA, responses: { 200: { description: ok } } }
`)
    expect(problems).toEqual([])
    expect(definitions).toMatchObject([{ name: 'read_a', description: 'Both.' }])
  })

  it('may be Swagger 2.0, when somebody makes OpenAPI 3 of it', async () => {
    const given = {
      swagger: '2.0',
      host: 'api.example',
      schemes: ['https'],
      basePath: '/v2',
      securityDefinitions: { t: { type: 'apiKey', in: 'header', name: 'X-T' } },
      security: [{ t: [] }],
      definitions: { Pet: { properties: { name: { type: 'string' } }, required: ['name'] } },
      paths: {
        '/pets': {
          post: {
            operationId: 'add',
            parameters: [
              {
                in: 'query',
                name: 'ids',
                type: 'array',
                items: { type: 'integer' },
                collectionFormat: 'csv',
              },
              { in: 'body', name: 'pet', required: true, schema: { $ref: '#/definitions/Pet' } },
            ],
          },
        },
      },
    }
    const before = structuredClone(given)
    const toThree = (document: Record<string, unknown>) => upgrade(document, '3.1')
    expect(await importOpenApi(given, { upgrade: toThree })).toEqual({
      definitions: [
        {
          name: 'add',
          description: 'POST /pets',
          endpoint: { url: 'https://api.example/v2/pets', method: 'POST' },
          auth: [{ type: 'apikey', header: 'X-T', in: 'header', secret: 't' }],
          parameters: {
            ids: { type: 'array', items: { type: 'integer' }, explode: false, in: 'query' },
            name: { type: 'string', in: 'body' },
          },
          required: ['name'],
        },
      ],
      problems: [],
    })
    expect(given).toEqual(before)
    const broken = () => {
      throw new Error('not so')
    }
    expect((await importOpenApi(given, { upgrade: broken })).problems).toEqual([
      { definition: 'document', message: 'not so' },
    ])
  })

  it('may lie in parts, which are fetched when there is a way to', async () => {
    const parts: Record<string, object | string> = {
      '/paths.yaml':
        'a:\n  post:\n    parameters:\n      - $ref: "shared/p.json#/q"\n    requestBody:\n      required: true\n      content:\n        application/json:\n          schema: { type: array, items: { $ref: "shared/p.json#/Item" } }\n',
      '/shared/p.json': {
        q: { name: 'q', in: 'query', schema: { type: 'integer' } },
        Item: { properties: { next: { $ref: '#/Item' }, up: { $ref: '../paths.yaml#/a/gone' } } },
        Good: { properties: { next: { $ref: '#/Good' } } },
      },
    }
    const host = await serve((request, response) => {
      const part = parts[request.url ?? '']
      if (!part) return response.writeHead(404).end()
      response.end(typeof part === 'string' ? part : JSON.stringify(part))
    })
    const url = `http://${host}/main.json`
    const given = document({
      '/a': { $ref: './paths.yaml#/a' },
      '/b': {
        get: {
          parameters: [
            { name: 'g', in: 'query', schema: { items: { $ref: 'shared/p.json#/Good' } } },
          ],
        },
      },
      '/c': { get: { parameters: [{ $ref: 'missing.json#/x' }] } },
    })
    const { definitions, problems } = await importOpenApi(given, { url, fetch })
    expect(definitions).toMatchObject([
      { name: 'get_b', $defs: { Good: { properties: { next: { $ref: '#/$defs/Good' } } } } },
    ])
    expect(problems).toEqual([
      { definition: 'POST /a', message: 'the reference ../paths.yaml#/a/gone leads nowhere' },
      {
        definition: 'GET /c',
        message: 'the reference missing.json#/x leads to another document: HTTP 404',
      },
    ])
  })

  it('is not changed', async () => {
    const given = document(
      {
        '/a': {
          post: json({ properties: { a: { type: 'string', nullable: true, readOnly: true } } }),
        },
      },
      {},
    )
    const before = structuredClone(given)
    await importOpenApi(given)
    expect(given).toEqual(before)
  })
})

describe('the choice of operations', () => {
  const given = document({
    '/pets': {
      get: { operationId: 'list', tags: ['pets'] },
      post: { operationId: 'create', tags: ['pets', 'admin'] },
    },
    '/users': { get: { operationId: 'list', tags: ['users'] }, delete: { tags: ['admin'] } },
  })
  const chosen = async (options: ImportOptions) => {
    const { definitions, problems } = await importOpenApi(given, options)
    return [...definitions.map(({ name }) => name), ...problems.map(({ message }) => message)]
  }
  it.each<[ImportOptions, string[]]>([
    [{}, ['list', 'create', 'list_2', 'delete_users']],
    [{ include: { tags: ['pets'] } }, ['list', 'create']],
    [{ include: { tags: ['pets'], methods: ['get'] } }, ['list']],
    // The name does not depend on what is chosen.
    [{ include: { operations: ['GET /users'] } }, ['list_2']],
    [{ exclude: { tags: ['users'], methods: ['POST'] } }, ['list', 'delete_users']],
    [{ exclude: { operations: ['list'] } }, ['create', 'delete_users']],
    [{ include: { operations: ['lst'] } }, ['the document has no such operation']],
  ])('%j', async (options, expected) => {
    expect(await chosen(options)).toEqual(expected)
  })
})
