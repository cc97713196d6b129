/**
 * Works an expression out in decimal numbers. Loaded on first use: decimal.js is 32 KB.
 * @module
 */
import { Decimal } from 'decimal.js'
import type { Expression } from './expression.ts'

/** Exact: whatever fits in a thousand digits, which no division by 3 does. */
const Exact = Decimal.clone({ defaults: true, precision: 1_000, maxE: 1e9, minE: -1e9 })
/** Roots, logarithms, angles: 20 digits more than are shown. */
const Fine = Decimal.clone({ defaults: true, precision: 50, maxE: 1e9, minE: -1e9 })
const shownDigits = 30
const mostSteps = 20_000
const largestFactorial = 1_000

interface Value {
  readonly number: Decimal
  /** Only `shownDigits` of it mean anything. */
  readonly rounded: boolean
}

interface Work {
  steps: number
}

type Operation = (args: readonly Decimal[], work: Work) => Decimal

/** Operations that add no digits of their own making, with their least and most arguments. */
const exact: ReadonlyMap<string, readonly [number, number, Operation]> = new Map([
  ['add', [2, 2, ([a, b]) => Exact.add(of(a), of(b))]],
  ['sub', [2, 2, ([a, b]) => Exact.sub(of(a), of(b))]],
  ['mul', [2, 2, ([a, b]) => Exact.mul(of(a), of(b))]],
  ['div', [2, 2, ([a, b]) => Exact.div(of(a), notZero(b))]],
  ['mod', [2, 2, ([a, b]) => floorMod(of(a), notZero(b))]],
  ['neg', [1, 1, ([a]) => of(a).neg()]],
  ['abs', [1, 1, ([a]) => of(a).abs()]],
  ['sign', [1, 1, ([a]) => new Exact(Decimal.sign(of(a)))]],
  ['ceil', [1, 1, ([a]) => of(a).ceil()]],
  ['floor', [1, 1, ([a]) => of(a).floor()]],
  ['trunc', [1, 1, ([a]) => of(a).trunc()]],
  ['round', [1, 2, ([a, b]) => roundTo(of(a), b)]],
  ['min', [1, 100, (args) => Exact.min(...args)]],
  ['max', [1, 100, (args) => Exact.max(...args)]],
  ['sum', [1, 100, (args) => Exact.sum(...args)]],
  ['mean', [1, 100, (args) => Exact.div(Exact.sum(...args), args.length)]],
  ['gcd', [1, 100, (args, work) => args.reduce((a, b) => gcd(a, b, work), new Exact(0))]],
  ['lcm', [1, 100, (args, work) => args.reduce((a, b) => lcm(a, b, work), new Exact(1))]],
  ['factorial', [1, 1, ([a], work) => factorial(of(a), work)]],
])

/**
 * Operations whose answers have no last digit. Their arguments come with at most 50 digits: with many
 * more, decimal.js runs past its table of pi and throws with its settings left in disorder.
 */
const fine: ReadonlyMap<string, readonly [number, number, Operation]> = new Map([
  ['exp', [1, 1, ([a]) => Fine.exp(of(a))]],
  ['ln', [1, 1, ([a]) => Fine.ln(of(a))]],
  ['log', [1, 2, ([a, b]) => (b ? Fine.log(of(a), b) : Fine.ln(of(a)))]],
  ['log2', [1, 1, ([a]) => Fine.log2(of(a))]],
  ['log10', [1, 1, ([a]) => Fine.log10(of(a))]],
  ['sin', [1, 1, ([a]) => angle('sin', of(a))]],
  ['cos', [1, 1, ([a]) => angle('cos', of(a))]],
  ['tan', [1, 1, ([a]) => tangent(of(a))]],
  ['asin', [1, 1, ([a]) => Fine.asin(of(a))]],
  ['acos', [1, 1, ([a]) => Fine.acos(of(a))]],
  ['atan', [1, 1, ([a]) => Fine.atan(of(a))]],
  ['atan2', [2, 2, ([a, b]) => Fine.atan2(of(a), of(b))]],
  ['sinh', [1, 1, ([a]) => Fine.sinh(of(a))]],
  ['cosh', [1, 1, ([a]) => Fine.cosh(of(a))]],
  ['tanh', [1, 1, ([a]) => Fine.tanh(of(a))]],
  ['hypot', [1, 100, (args) => Fine.hypot(...args)]],
])

/** Exact when the answer happens to be (`sqrt(16)`, `2^200`). */
const either: ReadonlyMap<string, readonly [number, number, Operation]> = new Map([
  ['sqrt', [1, 1, ([a]) => Exact.sqrt(of(a))]],
  ['cbrt', [1, 1, ([a]) => Exact.cbrt(of(a))]],
])

const constants: ReadonlyMap<string, Decimal> = new Map([
  ['pi', Fine.acos(-1)],
  ['tau', Fine.acos(-1).mul(2)],
  ['e', Fine.exp(1)],
])

/** Names that an expression may use, for the tool's description. */
export const functionNames: readonly string[] = [...exact.keys(), ...fine.keys(), ...either.keys()]

/**
 * The value as text: exact up to 990 digits where the operations are, else rounded to 30 significant
 * digits. Throws an Error for what has no real, finite value and for unknown names. The work is bounded.
 */
export function evaluate(expression: Expression): string {
  const { number, rounded } = resolve(expression, { steps: 0 })
  if (number.isNaN()) throw new Error('there is no real number that this is')
  if (!number.isFinite()) throw new Error('too large')
  return format(number, rounded || number.precision() >= Exact.precision - 10)
}

function format(number: Decimal, rounded: boolean): string {
  const shown = rounded ? number.toSignificantDigits(shownDigits) : number
  if (shown.isZero()) return '0'
  // An exact number is written out; a rounded one only as far as its digits go.
  const plain = rounded
    ? shown.e < shownDigits && shown.e >= -7
    : shown.e < Exact.precision && shown.e > -Exact.precision
  return plain ? shown.toFixed() : shown.toExponential()
}

function resolve(expression: Expression, work: Work): Value {
  work.steps += 1
  if (work.steps > mostSteps) throw new Error('too much work')
  switch (expression.kind) {
    case 'number':
      return { number: new Exact(expression.text), rounded: false }
    case 'name': {
      const constant = constants.get(expression.name.toLowerCase())
      if (!constant) throw new Error(`unknown name "${expression.name}"`)
      return { number: constant, rounded: true }
    }
    case 'call':
      return apply(expression.name.toLowerCase(), expression.args, work)
  }
}

function apply(name: string, expressions: readonly Expression[], work: Work): Value {
  const found = exact.get(name) ?? fine.get(name) ?? either.get(name)
  if (!found && name !== 'pow') throw new Error(`unknown function "${name}"`)
  const [least, most, run] = found ?? [2, 2, undefined]
  const count = expressions.length
  if (count < least || count > most) {
    throw new Error(
      `${name} takes ${least === most ? least : `${least} to ${most}`} numbers, not ${count}`,
    )
  }
  const values = expressions.map((each) => resolve(each, work))
  const numbers = values.map(({ number }) => number)
  const rounded = values.some((each) => each.rounded)
  if (!run) return power(of(numbers[0]), of(numbers[1]), rounded)
  if (!fine.has(name)) return { number: run(numbers, work), rounded }
  return { number: run(numbers.map(toFine), work), rounded: true }
}

function power(base: Decimal, exponent: Decimal, rounded: boolean): Value {
  if (base.isZero() && exponent.isNegative() && !exponent.isZero()) notZero(base)
  const whole = exponent.isInteger() && exponent.abs().lte(1e9)
  return whole
    ? { number: Exact.pow(base, exponent), rounded }
    : { number: Fine.pow(toFine(base), toFine(exponent)), rounded: true }
}

function toFine(number: Decimal): Decimal {
  return new Fine(number).toSignificantDigits(Fine.precision)
}

/** Past this an angle's turns swallow the digits. */
const largestAngle = 1e15

function angle(name: 'sin' | 'cos', at: Decimal): Decimal {
  if (at.abs().gt(largestAngle))
    throw new Error(`${name} of more than ${largestAngle} is too uncertain`)
  const result = Fine[name](at)
  // sin(pi) is 0 although the digits of pi end somewhere; sin(1e-45) is not.
  return at.abs().gte(1) && result.abs().lt(1e-30) ? new Fine(0) : result
}

function tangent(at: Decimal): Decimal {
  const cosine = angle('cos', at)
  if (cosine.isZero()) throw new Error('tan has no value here')
  return Fine.div(angle('sin', at), cosine)
}

function of(number: Decimal | undefined): Decimal {
  if (number === undefined) throw new Error('a number is missing')
  return number
}

function notZero(number: Decimal | undefined): Decimal {
  if (of(number).isZero()) throw new Error('division by zero')
  return of(number)
}

/** The sign of the divisor, as people and Python count: -7 % 3 is 2. */
function floorMod(a: Decimal, b: Decimal): Decimal {
  const rest = Exact.mod(a, b)
  return rest.isZero() || rest.isNegative() === b.isNegative() ? rest : Exact.add(rest, b)
}

/** Halves go away from zero. `digits` may be negative. */
function roundTo(number: Decimal, digits: Decimal | undefined): Decimal {
  if (!digits) return number.toDecimalPlaces(0, Decimal.ROUND_HALF_UP)
  if (!digits.isInteger() || digits.abs().gt(1_000))
    throw new Error('round to -1000 to 1000 digits')
  const scale = Exact.pow(10, digits)
  return Exact.div(Exact.mul(number, scale).toDecimalPlaces(0, Decimal.ROUND_HALF_UP), scale)
}

function gcd(a: Decimal, b: Decimal, work: Work): Decimal {
  let [large, small] = [integer(a).abs(), integer(b).abs()]
  while (!small.isZero()) {
    work.steps += 1
    if (work.steps > mostSteps) throw new Error('too much work')
    ;[large, small] = [small, Exact.mod(large, small)]
  }
  return large
}

function lcm(a: Decimal, b: Decimal, work: Work): Decimal {
  if (a.isZero() || b.isZero()) return new Exact(0)
  return Exact.div(Exact.mul(a, b).abs(), gcd(a, b, work))
}

function integer(number: Decimal): Decimal {
  if (!number.isInteger() || number.precision() >= Exact.precision) {
    throw new Error('only for whole numbers of up to 1,000 digits')
  }
  return number
}

function factorial(number: Decimal, work: Work): Decimal {
  if (!number.isInteger() || number.isNegative() || number.gt(largestFactorial)) {
    throw new Error(`factorial is for whole numbers from 0 to ${largestFactorial}`)
  }
  let product = new Exact(1)
  for (let factor = number.toNumber(); factor > 1; factor -= 1) product = product.mul(factor)
  work.steps += number.toNumber()
  return product
}
