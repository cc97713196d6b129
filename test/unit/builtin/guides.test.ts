import { describe, expect, it } from 'vitest'
import { templates } from '../../../src/builtin/guides/templates.ts'
import { guides } from '../../../src/builtin/guides/topics.ts'
import { htmlTemplateTool, reasoningGuideTool } from '../../../src/builtin/index.ts'
import { call } from './call.ts'

/** The reference's. */
const topics =
  'tool_generate tool_error rag_web market_analysis targeted_read ask_user subagent_dispatch write_todo html_render'.split(
    ' ',
  )

describe('reasoning_guide', () => {
  it('has every topic of the reference, several in one answer', async () => {
    expect(Object.keys(guides)).toEqual(topics)
    const { content } = await call(reasoningGuideTool(), { topics: ['ask_user', 'write_todo'] })
    expect(content).toBe(`${guides.ask_user}\n\n---\n\n${guides.write_todo}`)
    const all = await call(reasoningGuideTool(), { topics })
    expect(all.outcome).toBe('completed')
    for (const text of Object.values(guides)) expect(all.content).toContain(text)
  })

  it('an unknown topic is an error that names the known', async () => {
    for (const topic of ['cooking', 'constructor', '__proto__']) {
      const { outcome, content } = await call(reasoningGuideTool(), { topics: [topic] })
      expect(outcome).toBe('invalid')
      expect(content).toContain('tool_error')
    }
  })

  it('names only tools that there are', async () => {
    const known = new Set(
      'find_tools run_tool error_history fetch_page calculate find_files read_files run_command html_template edit_file test_tool ask_user subagents write_todo'.split(
        ' ',
      ),
    )
    const fields = new Set(['in_progress', 'exclude_tools', 'multi_select', 'related_errors'])
    const named = Object.values(guides).flatMap((text) => text.match(/\b[a-z]+_[a-z_]+\b/g) ?? [])
    const allowed = [...known, ...fields, 'timed_out', 'verb_noun', ...topics]
    expect(named.filter((name) => !allowed.includes(name))).toEqual([])
  })
})

describe('html_template', () => {
  it('lists what there is and gives it whole', async () => {
    const list = await call(htmlTemplateTool(), { mode: 'list' })
    const entries = list.value as { name: string; category: string; title: string; desc: string }[]
    expect(entries.map(({ name }) => name)).toEqual(templates.map(({ name }) => name))
    expect(Object.keys(entries[0] ?? {}).sort()).toEqual(['category', 'desc', 'name', 'title'])
    for (const { name } of entries) {
      const { value, content } = await call(htmlTemplateTool(), { mode: 'read', name })
      expect(content).toMatch(/^<!doctype html>/)
      expect(value).toEqual({ name, html: content })
    }
  })

  it('has no scripts and nothing from elsewhere', () => {
    for (const { html } of templates) {
      expect(html).not.toMatch(/<script|javascript:|\son\w+=|@import|<link|src=/i)
      expect(html.match(/https?:\/\/[^"]*/g) ?? []).toEqual(
        (html.match(/https?:\/\/[^"]*/g) ?? []).filter((url) => url === 'https://example.com/'),
      )
    }
  })

  it('an unknown name is an error that names the known', async () => {
    const { content } = await call(htmlTemplateTool(), { mode: 'read', name: 'poster' })
    expect(content).toContain('there is no template "poster"; there are report, dashboard')
    expect((await call(htmlTemplateTool(), { mode: 'read' })).outcome).toBe('failed')
  })
})
