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
      'Functions: sqrt cbrt root(x, n) abs sign ceil floor trunc round(x, digits) min max sum mean median stdev variance pow mod gcd lcm factorial comb perm exp ln log(x, base; natural without base) log2 log10 ' +
      'sin cos tan and their inverses and hyperbolic forms, atan2 hypot (radians, or "sin(30 deg)"). Constants: pi e tau phi speed_of_light planck boltzmann avogadro elementary_charge gas_constant standard_gravity gravitational_constant. ' +
      'Units of length, mass, time, speed, area, volume, temperature (degC degF K, differences delta_degC delta_degF), force, pressure, energy, power, electricity, data (kB KiB) and angles: "100 km/h to m/s", "5 ft + 3 in", "20 degC to degF". No variables, currencies or percent signs.',
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
