/**
 * calculate: exact arithmetic, without running any code.
 * @module
 */
import type { Tool } from '../tools/tool.ts'
import { readExpression } from './expression.ts'

/** Makes calculate. It answers each expression on its own: a value as text, or `error: …`. */
export function calculateTool(): Tool<{ expressions: string[] }> {
  return {
    name: 'calculate',
    description:
      'Works out arithmetic exactly (big integers and decimals included). Operators: + - * / % (remainder) ^ (power) ! and parentheses. ' +
      'Functions: sqrt cbrt abs sign ceil floor trunc round(x, digits) min max sum mean pow mod gcd lcm factorial exp ln log(x, base; natural without base) log2 log10 ' +
      'sin cos tan asin acos atan atan2 sinh cosh tanh hypot (angles in radians). Constants: pi e tau. No variables, units or percent signs.',
    inputSchema: {
      type: 'object',
      properties: {
        expressions: {
          type: 'array',
          items: { type: 'string', minLength: 1, maxLength: 1_000 },
          minItems: 1,
          maxItems: 50,
          description: 'Expressions to work out, each on its own, such as "2^10 / 3".',
        },
      },
      required: ['expressions'],
      additionalProperties: false,
    },
    readOnly: true,
    concurrent: true,
    reads: () => [],
    async execute({ expressions }) {
      const { evaluate } = await import('./arithmetic.ts')
      const results = expressions.map((text): [string, string] => {
        try {
          return [text, evaluate(readExpression(text))]
        } catch (error) {
          return [text, `error: ${error instanceof Error ? error.message : String(error)}`]
        }
      })
      if (results.every(([, result]) => result.startsWith('error: '))) {
        throw new Error(results.map(([text, result]) => `${text}: ${result.slice(7)}`).join('; '))
      }
      return Object.fromEntries(results)
    },
  }
}
