import { describe, expect, it } from 'vitest'
import { readApiDefinition } from '../../../src/api/index.ts'
import { defined } from './echo.ts'

const url = 'https://api.example/v1/users/{id}'
const id = { type: 'integer', description: 'Who.', required: true }

function problems(given: unknown): readonly string[] {
  const read = readApiDefinition(given)
  return read.ok ? [] : read.problems
}

describe('readApiDefinition', () => {
  it('reads the form of the reference, as text or as a value', () => {
    const given = {
      name: 'user',
      description: 'One user.',
      always_allow: true,
      concurrent: true,
      endpoint: { url, method: 'GET', content_type: 'json', headers: { 'x-a': 'b' }, timeout: 10 },
      auth: { type: 'apikey', header: 'X-Token', env: 'TOKEN' },
      parameters: {
        id,
        fields: { type: 'string', description: 'Which.', required: false, default: 'all' },
        kind: { type: 'string', description: 'Kind.', required: true, enum: ['a', 'b'] },
      },
    }
    for (const form of [given, JSON.stringify(given)]) {
      const read = readApiDefinition(form)
      expect(read.ok && read.api.inputSchema).toEqual({
        type: 'object',
        properties: {
          id: { type: 'integer', description: 'Who.' },
          fields: { type: 'string', description: 'Which.', default: 'all' },
          kind: { type: 'string', description: 'Kind.', enum: ['a', 'b'] },
        },
        required: ['id', 'kind'],
        additionalProperties: false,
      })
    }
  })

  it('takes JSON Schemas with lists of required properties, and $defs', () => {
    const read = readApiDefinition(
      defined(
        'https://api.example/',
        {
          required: ['filter'],
          parameters: {
            filter: { type: 'object', properties: { a: { $ref: '#/$defs/A' } }, required: ['a'] },
          },
          $defs: { A: { type: 'array', items: { type: 'string' } } },
        },
        { method: 'POST' },
      ),
    )
    expect(read.ok && read.api.inputSchema).toMatchObject({
      required: ['filter'],
      properties: { filter: { required: ['a'] } },
      $defs: { A: { type: 'array' } },
    })
  })

  it('a parameter with a default need not be given', () => {
    const given = defined('https://a.example/', {
      parameters: { n: { type: 'integer', required: true, default: 1 } },
    })
    const read = readApiDefinition(given)
    expect(read.ok && read.api.inputSchema.required).toBeUndefined()
  })

  it.each<[string, unknown, string[]]>([
    ['no JSON', '{', [expect.stringContaining('it is no JSON') as unknown as string]],
    ['no object', '[]', ['it must be a JSON object']],
    [
      'nothing',
      {},
      [
        'name must be lower case letters, digits and _, from a letter, at most 60',
        'description must say what the tool is for',
        'endpoint must be an object with url and method',
      ],
    ],
    [
      'misspelled fields',
      {
        ...defined(url, { parameters: { id } }, { metod: 'GET' } as object),
        paramters: {},
        auth: { type: 'bearer', secret: 'T', heder: 'x' },
        rate_limit: { calls: 1, per_seconds: 1, burst: 2 },
      },
      [
        'there is no field "paramters": name, description, concurrent, read_only, always_allow, cache, endpoint, auth, parameters, required, $defs, rate_limit',
        'there is no field "endpoint.metod": url, method, content_type, headers, query, timeout',
        'there is no field "auth.heder": type, header, in, secret, env',
        'there is no field "rate_limit.burst": calls, per_seconds',
      ],
    ],
    [
      'names',
      { ...defined('https://a.example'), name: 'Get-User' },
      ['name must be lower case letters, digits and _, from a letter, at most 60'],
    ],
    [
      'a name too long',
      { ...defined('https://a.example'), name: 'a'.repeat(61) },
      ['name must be lower case letters, digits and _, from a letter, at most 60'],
    ],
    [
      'wrong kinds',
      {
        ...defined('https://a.example', {}, { method: 'POST' }),
        concurrent: 'yes',
        read_only: 1,
        always_allow: null,
        cache: 0,
        rate_limit: { calls: 0.5, per_seconds: 0 },
        required: ['x'],
        $defs: [],
      },
      [
        'concurrent must be true or false',
        'read_only must be true or false',
        'always_allow must be true or false',
        'cache must be true, false or the seconds that an answer is kept, at least 1',
        'rate_limit.calls must be a whole number, at least 1',
        'rate_limit.per_seconds must be a number above 0',
        '$defs must be an object of JSON Schemas',
        'required must be a list of parameters',
      ],
    ],
    [
      'a bad endpoint',
      defined('ftp://a.example', {}, {
        method: 'TRACE',
        content_type: 'xml',
        timeout: 301,
        headers: { 'a b': 'x', c: 'd\r\ne: f' },
        query: { q: {} },
      } as object),
      [
        'endpoint.url must begin with https:// or http://',
        'endpoint.method must be GET, HEAD, POST, PUT, DELETE or PATCH',
        'endpoint.content_type must be json, form, multipart or raw',
        'endpoint.timeout must be seconds, more than 0 and at most 300',
        'endpoint.headers: "a b" can be no header\'s name',
        'endpoint.headers.c must be a text of one line',
        'endpoint.query.q must be a text, a number or a boolean',
      ],
    ],
    [
      'a host that the model would choose',
      defined('https://{host}.example/', { parameters: { host: { type: 'string' } } }),
      ['endpoint.url can have no {parameter} in its host'],
    ],
    [
      'a password in the URL',
      defined('https://u:p@a.example/#x'),
      ['endpoint.url can hold no password: use auth', 'endpoint.url can have no #fragment'],
    ],
    [
      'a brace alone',
      defined('https://a.example/{id'),
      ['endpoint.url has a brace without its partner'],
    ],
    [
      'a cache of a POST',
      defined('https://a.example', { cache: true }, { method: 'POST' }),
      ['cache is for the method GET alone'],
    ],
    [
      'bad auth',
      {
        ...defined('https://a.example'),
        auth: [{ type: 'digest' }, { type: 'bearer', env: 'A', in: 'query' }, 'x'],
      },
      [
        'auth.type must be bearer, apikey or basic',
        'auth must name its secret, by secret or by env',
        'auth.header and auth.in are for the type apikey alone',
        'auth must be an object with type and secret',
      ],
    ],
    [
      'parameters in the wrong place',
      defined('https://a.example/{a}', {
        parameters: {
          b: { in: 'path' },
          c: { in: 'body' },
          d: { in: 'cookie' as 'query' },
          e: { style: 'label' },
          'f[x]': {},
          g: { in: 'header', name: 'a b' },
          h: { file: true },
        },
      }),
      [
        'parameters.d.in must be path, query, header, body or whole_body',
        'parameters.f[x] must be called by letters, digits, _, . and -, at most 64: say by its field "name" what the API calls it',
        'parameters.b is in the path, but endpoint.url has no {b}',
        'parameters.c is in the body, and GET has none',
        'parameters.e.style must be form, spaceDelimited, pipeDelimited, deepObject or json',
        'parameters.g: "a b" can be no header\'s name',
        'parameters.h.file is for multipart fields and raw bodies alone',
        'endpoint.url has {a}, but there is no such parameter',
      ],
    ],
    [
      'two bodies',
      defined(
        'https://a.example/',
        { parameters: { a: { in: 'whole_body' }, b: { in: 'body' } } },
        { method: 'POST', content_type: 'raw' },
      ),
      [
        'a parameter in whole_body can have none in the body beside it',
        'a raw body is one parameter in whole_body',
      ],
    ],
    [
      'a schema that leads nowhere',
      defined('https://a.example/', { parameters: { a: { $ref: '#/$defs/no' } } }),
      [expect.stringContaining('leads nowhere') as unknown as string],
    ],
    [
      'a parameter that is no schema',
      defined('https://a.example/', { parameters: { a: 'string' } as never }),
      ['parameters must be an object of JSON Schemas'],
    ],
  ])('%s', (_, given, expected) => {
    expect(problems(given)).toEqual(expected)
  })

  it('a definition cannot be changed from behind', () => {
    const given = defined('https://a.example/')
    const read = readApiDefinition(given)
    ;(given.endpoint as { url: string }).url = 'https://b.example/'
    expect(read.ok && read.api.definition.endpoint.url).toBe('https://a.example/')
  })
})
