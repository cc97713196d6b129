/**
 * ask_user: questions to the person, whose answers the model reads.
 * @module
 */
import type { Json, JsonObject } from '../round.ts'
import type { JsonSchema, Tool, ToolContext } from '../tools/tool.ts'
import { keepSecret, type SecretStore, secretName } from './secrets.ts'

export interface UserQuestion {
  readonly question: string
  readonly detail?: string
  /** Offered answers; the person may write another. */
  readonly options?: readonly string[]
  readonly multi_select?: boolean
  /** The answer is kept under `name`, and the model never sees it. */
  readonly secret?: boolean
  readonly name?: string
}

/** One answer a question, a list where several may be chosen; or why there is none. */
export type UserReply =
  | { readonly answers: readonly (string | readonly string[])[] }
  | { readonly declined: string }

export interface AskUserArgs {
  readonly questions: readonly UserQuestion[]
}

export interface AskUserOptions {
  /**
   * Puts the questions and resolves with a `UserReply`: a form in the page, or `ClientCalls.ask` of a server.
   * What comes is checked.
   */
  readonly ask: (args: AskUserArgs, context: ToolContext) => Promise<Json>
  /** Where secret answers go; without it a secret question is refused. */
  readonly secrets?: SecretStore
  /** Milliseconds to wait for a person; default: for ever. */
  readonly timeoutMs?: number
  /** The answer comes through `ClientCalls`, also after a restart. */
  readonly remote?: boolean
}

const longestAnswer = 20_000

/**
 * Makes ask_user. The round waits for the answers as it waits for an approval; its other calls go on. A
 * person who declines makes the call fail with their reason.
 */
export function askUserTool({
  ask,
  secrets,
  timeoutMs,
  remote = false,
}: AskUserOptions): Tool<AskUserArgs> {
  return {
    name: 'ask_user',
    description:
      'Asks the person who is there, up to ten questions at once, and returns their answers. Use it when only they can know or decide. secret: true for keys and passwords: the answer is kept and you get its name.',
    inputSchema,
    readOnly: true,
    interactive: true,
    remote,
    reads: () => [],
    timeout: timeoutMs ?? Number.POSITIVE_INFINITY,
    async execute(args, context) {
      const hidden = args.questions.filter(({ secret }) => secret)
      if (hidden.length > 0 && !secrets) {
        throw new Error('secret answers cannot be kept here: ask without secret, or do without')
      }
      const reply = readReply(await ask(args, context), args.questions)
      const answers: JsonObject[] = []
      for (const [index, question] of args.questions.entries()) {
        const answer = reply[index] ?? ''
        answers.push(await shown(question, index, answer, secrets, context))
      }
      return { answers }
    },
  }
}

const inputSchema: JsonSchema = {
  type: 'object',
  properties: {
    questions: {
      type: 'array',
      minItems: 1,
      maxItems: 10,
      items: {
        type: 'object',
        properties: {
          question: {
            type: 'string',
            minLength: 1,
            maxLength: 1_000,
            description: 'One sentence.',
          },
          detail: {
            type: 'string',
            maxLength: 4_000,
            description: 'What they should know to answer it.',
          },
          options: {
            type: 'array',
            minItems: 1,
            maxItems: 20,
            items: { type: 'string', minLength: 1, maxLength: 200 },
            description: 'Answers to choose from; they may also write one of their own.',
          },
          multi_select: {
            type: 'boolean',
            default: false,
            description: 'More than one of the options may be chosen.',
          },
          secret: {
            type: 'boolean',
            default: false,
            description: 'The answer is a secret: you get a name for it, not the text.',
          },
          name: {
            type: 'string',
            pattern: secretName,
            description: 'With secret: the name to keep it under, such as github_token.',
          },
        },
        required: ['question'],
        additionalProperties: false,
      },
    },
  },
  required: ['questions'],
  additionalProperties: false,
}

/** What a page or a network gives is checked: it is somebody's input. */
function readReply(given: Json, questions: readonly UserQuestion[]): (string | string[])[] {
  const { answers, declined } = Object(given) as { answers?: unknown; declined?: unknown }
  if (typeof declined === 'string') {
    throw new Error(`the person declined to answer${declined ? `: ${declined}` : ''}`)
  }
  if (!Array.isArray(answers) || answers.length !== questions.length) {
    throw new Error(`the answer that came back does not hold one answer for each question`)
  }
  return answers.map((answer: unknown, index) => {
    const many = Array.isArray(answer)
    if (many && !questions[index]?.multi_select) throw badAnswer(index)
    const texts: unknown[] = many ? answer : [answer]
    if (texts.length > 50 || !texts.every((text) => typeof text === 'string'))
      throw badAnswer(index)
    const cut = (texts as string[]).map((text) => text.slice(0, longestAnswer))
    return many ? cut : (cut[0] ?? '')
  })
}

function badAnswer(index: number): Error {
  return new Error(`the answer to question ${index + 1} that came back is no text`)
}

async function shown(
  { question, secret, name }: UserQuestion,
  index: number,
  answer: string | string[],
  secrets: SecretStore | undefined,
  { sessionId, callId }: ToolContext,
): Promise<JsonObject> {
  if (!secret || !secrets) return { question, answer }
  const kept = name ?? `secret_${index + 1}_${callId.replace(/[^A-Za-z0-9_.-]/g, '_').slice(0, 40)}`
  const text = Array.isArray(answer) ? answer.join(' ') : answer
  if (text === '') return { question, answer: '' }
  await keepSecret(secrets, sessionId, kept, text)
  const note = `kept; write {{secret:${kept}}} in a header of http_request where it goes`
  return { question, secret: kept, note }
}
