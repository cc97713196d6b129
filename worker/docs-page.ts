/**
 * The API as a page to read, drawn from the OpenAPI document: no script, nothing from elsewhere.
 * @module
 */
import { html } from 'hono/html'
import type { HtmlEscapedString } from 'hono/utils/html'
import type { OpenApi } from './openapi.ts'
import type { Operation } from './openapi-parts.ts'

type Html = HtmlEscapedString | Promise<HtmlEscapedString>

export function docsPage(api: OpenApi): Html {
  const operations = Object.entries(api.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  )
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${api.info.title} API</title>
<style>${style}</style>
</head>
<body>
<main>
<h1>${api.info.title} API</h1>
<p>${api.info.description}</p>
<p><a href="/openapi.json">OpenAPI 3.1 document</a> · <a href="/">demo page</a></p>
<nav aria-label="Operations"><ul>${operations.map(
    ({ method, path, operation }) =>
      html`<li><a href="#${operation.operationId}"><b>${method.toUpperCase()}</b> ${path}</a></li>`,
  )}</ul></nav>
${operations.map(({ method, path, operation }) => section(method, path, operation))}
</main>
</body>
</html>` as Html
}

function section(method: string, path: string, operation: Operation): Html {
  const { operationId, summary, description, parameters, requestBody, responses } = operation
  return html`<section id="${operationId}">
<h2><b>${method.toUpperCase()}</b> <code>${path}</code></h2>
<p>${summary}.${description ? ` ${description}` : ''}</p>
${parameters?.length ? block('Parameters', parameters) : ''}
${requestBody ? block('Body', requestBody) : ''}
<h3>Answers</h3>
<ul>${Object.entries(responses).map(
    ([status, answer]) =>
      html`<li><b>${status}</b> ${(answer as { description?: string }).description ?? ''}</li>`,
  )}</ul>
</section>` as Html
}

function block(title: string, value: unknown): Html {
  return html`<details><summary>${title}</summary><pre tabindex="0">${JSON.stringify(value, null, 2)}</pre></details>` as Html
}

const style = `:root{color-scheme:light dark;font:16px/1.5 system-ui,sans-serif}
body{margin:0;padding:1rem}main{max-width:48rem;margin:auto}
h2{margin-top:2.5rem;font-size:1.1rem;border-top:1px solid #8886;padding-top:1rem;overflow-wrap:anywhere}
h3{font-size:1rem}pre{overflow:auto;padding:.75rem;border:1px solid #8886;border-radius:.5rem}
nav ul{list-style:none;padding:0}nav a{text-decoration:none}a:hover{text-decoration:underline}`
