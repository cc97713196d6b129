/**
 * The specification page and the guarantees of the design (its parts 3 to 6) as a list: one claim an
 * entry, in our own words. A test cites a claim by writing its id in brackets in its title; a story
 * by listing it under `proves`. coverage.test.ts fails on a claim without a citation.
 */
export interface Claim {
  readonly id: string
  readonly says: string
  /** Not built yet, and why: such a claim must not be cited. */
  readonly pending?: string
}

const spec: readonly Claim[] = [
  {
    id: 'spec.three-passes',
    says: 'A round goes through three serial passes and only the second fans out.',
  },
  {
    id: 'spec.gate-order',
    says: 'Pass 1: unwrap, loaded, dedupe, schema first, exists, confirm, validate, in this order.',
  },
  { id: 'spec.unwrap', says: 'run_tool becomes the named tool.' },
  {
    id: 'spec.refuse',
    says: 'A direct call outside the loaded set is refused with a hint at find_tools and run_tool.',
  },
  {
    id: 'spec.dedupe',
    says: 'A repeated tool|args pair returns the earlier result instead of executing.',
  },
  {
    id: 'spec.schema-first',
    says: 'A call before its schema was fetched returns the schema and asks for a re-invoke.',
  },
  { id: 'spec.exists', says: 'A name with no registered handler never runs.' },
  { id: 'spec.confirm', says: 'The confirm gate stands in pass 1.' },
  { id: 'spec.validate', says: 'Arguments are checked against the JSON schema.' },
  {
    id: 'spec.concurrent',
    says: 'Tagged tools run concurrently, at most five at a time, the rest queued.',
  },
  { id: 'spec.max-concurrent', says: 'MAX_CONCURRENT_TOOLS sets the number in the Worker.' },
  { id: 'spec.serial', says: 'Untagged tools run one at a time.' },
  { id: 'spec.interactive', says: 'Interactive tools always run serially.' },
  {
    id: 'spec.commit',
    says: 'Pass 3 lands results and histories, updates the dedupe map, writes the cache, emits tool_result.',
  },
  {
    id: 'spec.tools-array',
    says: 'Deferred: the tools array holds find_tools, run_tool and client tools; the rest is listed by name.',
  },
  {
    id: 'spec.stub',
    says: 'claude-code: every tool but run_tool, unmarked but for find_tools and client tools; a first call returns the schema.',
  },
  { id: 'spec.no-always-load', says: 'There is no always-load flag.' },
  {
    id: 'spec.starter-flags',
    says: 'Of the starter set, the tools that the specification tags concurrent are, and edit_file is not.',
  },
  {
    id: 'spec.all-flags',
    says: 'The eighteen concurrent and the serial built-in tools carry exactly these flags.',
  },
  {
    id: 'spec.outside-tools',
    says: 'api_, script_ and ext_ tools run concurrently only when they declare it; MCP tools serially.',
  },
  { id: 'spec.per-run', says: 'Dedupe is per run, not per session.' },
  {
    id: 'spec.invalidate',
    says: 'edit_file invalidates the read_files entries that cover the paths it touched.',
  },
  {
    id: 'spec.cache',
    says: 'A separate 30-minute cache covers fetch_page, search_web and http_request GET only.',
  },
]

const preflight: readonly Claim[] = [
  { id: 'p1.first-decides', says: 'The first step that decides ends the pass for the call.' },
  { id: 'p1.order-readable', says: 'The eight steps stand in one list in the stated order.' },
  { id: 'p1.trim', says: 'Id and name are trimmed; a control suffix and known prefixes are cut.' },
  {
    id: 'p1.fresh-id',
    says: 'A missing or repeated id gets a fresh one, and the mapping is reported.',
  },
  { id: 'p1.empty-args', says: 'Empty, null and absent arguments mean {}.' },
  {
    id: 'p1.repair',
    says: 'Mechanically broken JSON is repaired and marked; values are never guessed.',
  },
  { id: 'p1.cut', says: 'Text that was cut off is never closed and run.' },
  { id: 'p1.cut-length', says: 'After finish reason length the last call is not trusted.' },
  { id: 'p1.proto', says: '__proto__ keys are dropped; NaN and Infinity are refused.' },
  { id: 'p1.run-tool-string', says: 'run_tool also unwraps args given as a JSON string.' },
  { id: 'p1.run-tool-nested', says: 'run_tool of run_tool is refused, of find_tools unwrapped.' },
  { id: 'p1.canonical', says: 'Key order and spacing do not matter to dedupe.' },
  {
    id: 'p1.in-round',
    says: 'A repeat inside the round waits for the first and never runs twice.',
  },
  {
    id: 'p1.both-schema',
    says: 'Two blind calls of one tool in a round both get the schema; the tool is then loaded.',
  },
  { id: 'p1.nearest', says: 'An unknown name gets the nearest names, none when nothing is close.' },
  {
    id: 'p1.ask-valid-only',
    says: 'A person is asked only about calls whose arguments would pass validation.',
  },
  { id: 'p1.once-per-tool', says: 'A validator is built once per tool.' },
  {
    id: 'p1.every-problem',
    says: 'invalid names every problem in one message: path, expected, came, description.',
  },
  {
    id: 'p1.coerce',
    says: 'Safe coercions are tried after validation fails, reported, share the key, and can be switched off.',
  },
  { id: 'p1.no-coerce', says: 'A number never becomes a string, a scalar never an array.' },
  {
    id: 'p1.digits',
    says: 'Digits that a double cannot hold are kept as a string where the schema takes one.',
  },
  { id: 'p1.bad-schema', says: 'A schema that cannot be used fails at registration.' },
]

const execute: readonly Claim[] = [
  { id: 'p2.slots', says: 'At most maxConcurrent concurrent calls run; the rest queue in order.' },
  {
    id: 'p2.serial-order',
    says: "Serial tools run one at a time in the model's order, beside concurrent ones.",
  },
  {
    id: 'p2.hazards',
    says: 'A call waits for every earlier call whose resources conflict with its own, and only for those.',
  },
  {
    id: 'p2.siblings',
    says: 'Whatever a tool does, its call gets a result and its siblings are unharmed.',
  },
  {
    id: 'p2.odd-values',
    says: 'Cycles, BigInt, streams, nothing, 50 MB: all become a bounded result.',
  },
  { id: 'p2.signal', says: "Each call has its own signal: the round's and its time-out." },
  {
    id: 'p2.on-time',
    says: 'A deadline and an abort return on time even when the tool ignores them.',
  },
  { id: 'p2.nothing-left', says: 'No unhandled rejection and no timer is left.' },
  {
    id: 'p2.opaque',
    says: 'A tool that says nothing of what it writes conflicts with every call that declares resources.',
  },
  { id: 'p2.free', says: 'Calls without resources are free.' },
  {
    id: 'p2.context',
    says: 'The context holds signal, ids, idempotency key, progress, granted ports and nothing else.',
  },
  { id: 'p2.idempotency', says: 'The idempotency key is stable over retries of the round.' },
  { id: 'p2.background', says: 'Background tools answer ok at once; their end is an event.' },
]

const commit: readonly Claim[] = [
  {
    id: 'p3.order',
    says: "Results are committed in the model's order whatever order pass 2 finished in.",
  },
  {
    id: 'p3.one-result',
    says: 'Every call of the round has exactly one result with its id, on every path, including abort.',
  },
  { id: 'p3.transaction', says: 'One commit is one transaction of the run store.' },
]

const deferred: readonly Claim[] = [
  {
    id: 'd.modes',
    says: 'deferred is the default; full sends all schemas; auto chooses by schema tokens.',
  },
  {
    id: 'd.turn-context',
    says: 'Hundreds of names cost a few tokens each, grouped by prefix where that is shorter.',
  },
  {
    id: 'd.find',
    says: 'find_tools searches names, descriptions and parameter names; at most three results carry their schema.',
  },
  {
    id: 'd.select',
    says: 'select: fetches exactly these and answers a miss with the nearest names.',
  },
  { id: 'd.list', says: 'list lists names with one line each, paged.' },
  {
    id: 'd.value',
    says: 'The structured value is { tools: [{ name, description, inputSchema? }], total } in rank order.',
  },
  { id: 'd.loaded', says: 'Tools with a schema become loaded, for the rounds of the run.' },
  { id: 'd.bytes', says: 'The tools array is sorted by name and byte-identical for the run.' },
  { id: 'd.measured', says: 'Ranking is measured against the handed queries.' },
  {
    id: 'd.changed',
    says: 'A schema that changed since it was loaded is returned instead of running.',
  },
  { id: 'd.too-many', says: 'More tools than the provider takes are deferred, with a diagnostic.' },
]

const dedupe: readonly Claim[] = [
  { id: 'c.completed-only', says: 'Only what came to completed is remembered.' },
  {
    id: 'c.voided',
    says: 'A committed write that may touch what a call read or wrote voids its memory; a failed one too.',
  },
  { id: 'c.denial', says: 'A denial is remembered for the run.' },
  { id: 'c.no-dedupe', says: 'dedupe: false always runs.' },
  { id: 'c.by-path', says: 'Invalidation goes by path, both ways, never by substring.' },
  { id: 'c.unsaid-write', says: 'A write that does not say what it wrote drops all reads.' },
  { id: 'c.overlap', says: 'A read that began before a write ended is not remembered.' },
  {
    id: 'c.ttl',
    says: 'Cached answers live 30 minutes, fixed, across runs and sessions as their scope says.',
  },
  { id: 'c.key', says: 'The key holds namespace, tool, version, canonical arguments and scope.' },
  {
    id: 'c.never-stored',
    says: 'Errors, HTTP 4xx and 5xx, partial and denied calls are never stored.',
  },
  { id: 'c.hit', says: 'A hit passes preflight and is cached, with its age.' },
  { id: 'c.single-flight', says: 'Equal cacheable calls under way in one isolate run once.' },
  { id: 'c.generation', says: 'An answer from before a write is never met again.' },
  { id: 'c.stores', says: 'Memory, KV and IndexedDB pass one suite, each where it lives.' },
  { id: 'c.store-fails', says: 'A failing cache never fails a call.' },
]

const confirm: readonly Claim[] = [
  {
    id: 'g.needs',
    says: 'Every tool that is not readOnly needs a person, unless an allow rule covers it; and what confirm says.',
  },
  { id: 'g.always', says: 'A destructive mode asks even under an allow rule.' },
  { id: 'g.once', says: 'Approve once, with edited arguments that are validated again.' },
  { id: 'g.run', says: 'Approve for the rest of the run.' },
  {
    id: 'g.remember',
    says: 'Approve and remember: a rule in the session with an optional pattern.',
  },
  { id: 'g.deny', says: 'Deny with a reason that the model reads.' },
  { id: 'g.stop', says: 'Stop the run.' },
  { id: 'g.batch', says: 'All calls of a round that need a person are asked in one batch.' },
  {
    id: 'g.closed',
    says: 'With nobody to ask, or an approver that fails, the call is denied, unless the host allows it.',
  },
  { id: 'g.drift', says: 'A remembered approval does not carry over to a changed tool.' },
  {
    id: 'g.across',
    says: 'Across requests the round suspends in the run store and resumes exactly once.',
  },
]

const clientTools: readonly Claim[] = [
  {
    id: 'n.lease',
    says: 'One page owns a client call at a time; a lost lease passes on unless the call may have had an effect.',
  },
  {
    id: 'n.token',
    says: 'A page holds a signed token of one run or session that expires, never the API token.',
  },
  { id: 'n.first', says: 'The first valid answer of a page wins; a late or second one gets 409.' },
  { id: 'n.all-in', says: 'A round goes on when all its client and server calls are in, once.' },
  {
    id: 'n.timeout',
    says: 'No page within the time-out: the call is timed_out and the model told.',
  },
  {
    id: 'n.untrusted',
    says: 'Client definitions cannot shadow server tools and are bounded and validated.',
  },
  { id: 'n.reattach', says: 'After a reload or a restart what is pending still waits.' },
]

export const claims: readonly Claim[] = [
  ...spec,
  ...preflight,
  ...execute,
  ...commit,
  ...deferred,
  ...dedupe,
  ...confirm,
  ...clientTools,
]
