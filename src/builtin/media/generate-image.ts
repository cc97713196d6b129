/**
 * generate_image: a picture from words, saved to the workspace.
 * @module
 */
import type { ImageModelV3, ImageModelV3File } from '@ai-sdk/provider'
import { type Made, made } from '../../made.ts'
import type { JsonSchema, Tool } from '../../tools/tool.ts'
import { fileResources } from '../../workspace/path.ts'
import type { Workspace } from '../../workspace/workspace.ts'
import { mediaKind } from './media-type.ts'
import { mediaFolder, notesOf, saveMedia } from './save-media.ts'

export interface GenerateImageOptions {
  /** Any image model of the AI SDK's third specification; a function is called when it is needed. */
  readonly model: Made<ImageModelV3>
  readonly workspace: Workspace
}

interface GenerateImageArgs {
  readonly prompt: string
  readonly size?: '1024x1024' | '1024x1792' | '1792x1024'
  readonly quality?: 'low' | 'medium' | 'high'
  readonly reference_image_path?: string
  readonly output_file?: string
}

/** Makes generate_image. It costs money: it asks a person, and runs in turn. */
export function generateImageTool({
  model,
  workspace,
}: GenerateImageOptions): Tool<GenerateImageArgs> {
  return {
    name: 'generate_image',
    description:
      'Makes one picture from a description and saves it to the workspace. With a reference image it changes or follows that one. Takes up to some minutes.',
    inputSchema,
    confirm: true,
    reads: ({ reference_image_path: path }) => fileResources([path]),
    writes: ({ output_file: path }) => fileResources([path ?? mediaFolder]),
    timeout: 900_000,
    async execute(args, context) {
      const files = await referenceOf(args.reference_image_path, workspace)
      const own = await made(model)
      const [vendor = ''] = own.provider.split('.')
      context.progress({ model: own.modelId })
      const { images, warnings } = await own.doGenerate({
        prompt: args.prompt,
        n: 1,
        size: args.size,
        files,
        providerOptions: args.quality ? { [vendor]: { quality: args.quality } } : {},
        aspectRatio: undefined,
        seed: undefined,
        mask: undefined,
        abortSignal: context.signal,
      })
      context.signal.throwIfAborted()
      const [data] = images
      const picture = {
        tool: 'generate_image',
        kind: 'image',
        data,
        path: args.output_file,
      } as const
      const notes = notesOf(warnings)
      return saveMedia({ ...picture, model: own.modelId, notes }, workspace, context)
    },
  }
}

const inputSchema: JsonSchema = {
  type: 'object',
  properties: {
    prompt: {
      type: 'string',
      minLength: 1,
      maxLength: 8_000,
      description: 'What is to be seen: subject, style, light, composition, text in it.',
    },
    size: { enum: ['1024x1024', '1024x1792', '1792x1024'], description: 'Default: the model’s.' },
    quality: { enum: ['low', 'medium', 'high'], description: 'Default: the model’s.' },
    reference_image_path: {
      type: 'string',
      minLength: 1,
      description: 'A picture of the workspace to change or to follow.',
    },
    output_file: { type: 'string', minLength: 1, description: 'Default: a new file in /media.' },
  },
  required: ['prompt'],
  additionalProperties: false,
}

async function referenceOf(
  path: string | undefined,
  workspace: Workspace,
): Promise<ImageModelV3File[] | undefined> {
  if (path === undefined) return undefined
  const file = await workspace.read(path)
  if (!file) throw new Error(`${path}: there is no such file`)
  const kind = file.data && mediaKind(file.data)
  if (!file.data || !kind?.mediaType.startsWith('image')) throw new Error(`${path} is no picture`)
  return [{ type: 'file', mediaType: kind.mediaType, data: file.data }]
}
