/**
 * One call of a client, through all three passes. Where a person must be asked it is left half done, with
 * the question as its answer; the client comes back with what the person said.
 * @module
 */
import type {
  CallToolResult,
  InputRequiredResult,
  inputRequired,
  inputResponse,
  ServerContext,
} from '@modelcontextprotocol/server'
import type { ApprovalAnswer, ApprovalBatch } from '../approval/approver.ts'
import type { Run } from '../dispatcher.ts'
import type { RunEvent } from '../events.ts'
import { errorText } from '../execute/render-result.ts'
import type { JsonObject } from '../round.ts'
import { progressOf } from './progress.ts'
import { answersOf, type Conversations, formsOf, type Question } from './questions.ts'
import { callResult, refusal } from './result.ts'

export interface ClientCall {
  readonly name: string
  readonly args: JsonObject
  /** Why nobody can be asked, when that is so. */
  readonly cannotAsk: string | undefined
  /** The call's run goes on after it: an approval may be for the run. */
  readonly hasRun: boolean
  /** The client is asked while its request is open. Otherwise another request goes on with the call. */
  readonly staysOpen: boolean
  /** Does the work in a run. */
  readonly inRun: <T>(work: (run: Run) => Promise<T>) => Promise<T>
}

export interface Calls {
  readonly begin: (call: ClientCall, context: ServerContext) => Promise<Answer>
  /** Goes on with a call, or says that it is over. */
  readonly resume: (token: string, context: ServerContext) => Promise<Answer>
  readonly onEvent: (event: RunEvent) => void
}

type Answer = CallToolResult | InputRequiredResult

/** What of the SDK is needed here: it is loaded on first use. */
export interface Sdk {
  readonly inputRequired: typeof inputRequired
  readonly inputResponse: typeof inputResponse
}

/** A call under way. */
interface Talk {
  readonly call: ClientCall
  readonly result: Promise<CallToolResult>
  readonly next: () => Promise<Question>
  readonly abort: (reason: unknown) => void
  /** The request that waits for it now hears how far it is. */
  report: ((event: RunEvent) => void) | undefined
  question?: Question
  timer?: ReturnType<typeof setTimeout>
}

export function createCalls(
  conversations: Conversations,
  sdk: Sdk,
  answerTimeoutMs: number,
): Calls {
  const byCall = new Map<string, Talk>()
  /** Half done, by the token that its question went out with. */
  const asked = new Map<string, Talk>()

  const begin = (call: ClientCall): Talk => {
    const callId = crypto.randomUUID()
    const stop = new AbortController()
    const conversation = conversations.begin(callId, call.cannotAsk)
    const dispatched = call.inRun((run) =>
      run.dispatch([{ id: callId, name: call.name, arguments: call.args }], {
        signal: stop.signal,
      }),
    )
    const result = dispatched
      .then(({ results: [result] }) =>
        result ? callResult(result) : refusal('The call came to nothing.'),
      )
      .catch((error: unknown) => refusal(`The call could not be made: ${errorText(error)}`))
      .finally(() => {
        conversation.end()
        byCall.delete(callId)
      })
    const talk: Talk = {
      call,
      result,
      next: conversation.next,
      abort: (reason) => stop.abort(reason),
      report: undefined,
    }
    byCall.set(callId, talk)
    return talk
  }

  /** Until the call is done, or must ask with another request. */
  const goOn = async (talk: Talk, context: ServerContext): Promise<Answer> => {
    const { signal } = context.mcpReq
    const onAbort = () => talk.abort(signal.reason)
    if (signal.aborted) onAbort()
    else signal.addEventListener('abort', onAbort)
    talk.report = progressOf(context.mcpReq)
    const done = talk.result.then((result) => ({ result }))
    try {
      for (;;) {
        const next = await Promise.race([done, talk.next()])
        if ('result' in next) return next.result
        if (!talk.call.staysOpen) return ask(talk, next)
        next.answer(await askNow(next.batch, talk.call.hasRun, context, answerTimeoutMs))
      }
    } finally {
      talk.report = undefined
      signal.removeEventListener('abort', onAbort)
    }
  }

  const ask = (talk: Talk, question: Question): Answer => {
    const token = crypto.randomUUID()
    talk.question = question
    talk.timer = setTimeout(() => {
      asked.delete(token)
      question.answer([])
    }, answerTimeoutMs)
    asked.set(token, talk)
    void talk.result.then(() => {
      clearTimeout(talk.timer)
      asked.delete(token)
    })
    const forms = Object.entries(formsOf(question.batch, talk.call.hasRun))
    return sdk.inputRequired({
      inputRequests: Object.fromEntries(
        forms.map(([key, form]) => [key, sdk.inputRequired.elicit(form)]),
      ),
      requestState: token,
    })
  }

  return {
    begin: (call, context) => goOn(begin(call), context),
    async resume(token, context) {
      const talk = asked.get(token)
      // Taken out first: of two answers the first counts.
      asked.delete(token)
      if (!talk?.question) {
        return refusal('This question is over: it was answered, or nobody answered in time.')
      }
      clearTimeout(talk.timer)
      const { question } = talk
      const { inputResponses } = context.mcpReq
      question.answer(
        answersOf(question.batch, (key) => {
          const view = sdk.inputResponse(inputResponses, key)
          return view.kind === 'elicit' ? view : {}
        }),
      )
      return goOn(talk, context)
    },
    onEvent(event) {
      if ('callId' in event && event.callId !== undefined) byCall.get(event.callId)?.report?.(event)
    },
  }
}

/** Puts a batch before the client's person while the call's own request is open. */
async function askNow(
  batch: ApprovalBatch,
  hasRun: boolean,
  { mcpReq }: ServerContext,
  timeout: number,
): Promise<ApprovalAnswer[]> {
  const { signal } = batch
  const forms = Object.entries(formsOf(batch, hasRun))
  const views = await Promise.all(
    forms.map(async ([key, params]) => {
      const asked = mcpReq.send({ method: 'elicitation/create', params }, { signal, timeout })
      // A client that fails to ask has not said yes.
      return [key, await asked.catch(() => undefined)] as const
    }),
  )
  const byKey = new Map(views)
  return answersOf(batch, (key) => byKey.get(key) ?? {})
}
