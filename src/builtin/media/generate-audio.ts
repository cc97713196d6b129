/**
 * generate_audio: text read aloud, saved to the workspace.
 * @module
 */
import type { SpeechModelV3 } from '@ai-sdk/provider'
import { type Made, made } from '../../made.ts'
import type { JsonSchema, Tool } from '../../tools/tool.ts'
import { fileResources } from '../../workspace/path.ts'
import type { Workspace } from '../../workspace/workspace.ts'
import { mediaFolder, notesOf, saveMedia } from './save-media.ts'

export interface GenerateAudioOptions {
  /** Any speech model of the AI SDK's third specification; a function is called when it is needed. */
  readonly model: Made<SpeechModelV3>
  readonly workspace: Workspace
}

interface GenerateAudioArgs {
  readonly text: string
  readonly voice?: string
  readonly output_file?: string
}

/** Makes generate_audio. It costs money: it asks a person, and runs in turn. */
export function generateAudioTool({
  model,
  workspace,
}: GenerateAudioOptions): Tool<GenerateAudioArgs> {
  return {
    name: 'generate_audio',
    description:
      'Reads a text aloud and saves the sound to the workspace. Takes up to some minutes.',
    inputSchema,
    confirm: true,
    reads: () => [],
    writes: ({ output_file: path }) => fileResources([path ?? mediaFolder]),
    timeout: 300_000,
    async execute({ text, voice, output_file: path }, context) {
      const own = await made(model)
      context.progress({ model: own.modelId })
      const { audio, warnings } = await own.doGenerate({
        text,
        ...(voice !== undefined && { voice }),
        abortSignal: context.signal,
      })
      context.signal.throwIfAborted()
      const sound = { tool: 'generate_audio', kind: 'audio', data: audio, path } as const
      const notes = notesOf(warnings)
      return saveMedia({ ...sound, model: own.modelId, notes }, workspace, context)
    },
  }
}

const inputSchema: JsonSchema = {
  type: 'object',
  properties: {
    text: { type: 'string', minLength: 1, maxLength: 4_096, description: 'What is said.' },
    voice: { type: 'string', minLength: 1, maxLength: 100, description: 'Default: the model’s.' },
    output_file: { type: 'string', minLength: 1, description: 'Default: a new file in /media.' },
  },
  required: ['text'],
  additionalProperties: false,
}
