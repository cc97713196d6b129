/**
 * The operations of `calculate` on plain numbers, each with how many it takes.
 * @module
 */
import { Decimal } from 'decimal.js'
import { Exact } from './units.ts'

/** Roots, logarithms, angles: 20 digits more than are shown. */
export const Fine: typeof Decimal = Decimal.clone({
  defaults: true,
  precision: 50,
  maxE: 1e9,
  minE: -1e9,
})
export const mostSteps = 20_000
const largestFactorial = 1_000
const many = 100

export interface Work {
  steps: number
}

type Run = (args: readonly Decimal[], work: Work) => Decimal
export type Operation = readonly [least: number, most: number, run: Run]

/** Operations that keep the unit of their arguments, which all measure the same. */
export const measured: ReadonlyMap<string, Operation> = new Map<string, Operation>([
  ['add', [2, 2, ([a, b]) => added(of(a), of(b))]],
  ['sub', [2, 2, ([a, b]) => added(of(a), of(b).neg())]],
  ['mod', [2, 2, ([a, b]) => floorMod(of(a), notZero(b))]],
  ['neg', [1, 1, ([a]) => of(a).neg()]],
  ['abs', [1, 1, ([a]) => of(a).abs()]],
  ['ceil', [1, 1, ([a]) => of(a).ceil()]],
  ['floor', [1, 1, ([a]) => of(a).floor()]],
  ['trunc', [1, 1, ([a]) => of(a).trunc()]],
  ['min', [1, many, (args) => Exact.min(...args)]],
  ['max', [1, many, (args) => Exact.max(...args)]],
  ['sum', [1, many, (args) => args.reduce(added)]],
  ['mean', [1, many, mean]],
  ['median', [1, many, median]],
  ['stdev', [2, many, (args) => Exact.sqrt(variance(args))]],
])

/** Operations that add no digits of their own making. */
export const exact: ReadonlyMap<string, Operation> = new Map<string, Operation>([
  ['sign', [1, 1, ([a]) => new Exact(Decimal.sign(of(a)))]],
  ['variance', [2, many, variance]],
  ['gcd', [1, many, (args, work) => args.reduce((a, b) => gcd(a, b, work), new Exact(0))]],
  ['lcm', [1, many, (args, work) => args.reduce((a, b) => lcm(a, b, work), new Exact(1))]],
  ['factorial', [1, 1, ([a], work) => factorial(of(a), work)]],
  ['perm', [2, 2, ([n, k], work) => permutations(of(n), of(k), work)]],
  ['comb', [2, 2, ([n, k], work) => combinations(of(n), of(k), work)]],
  ['cbrt', [1, 1, ([a]) => Exact.cbrt(of(a))]],
])

/** How far from 0 arguments may be: beyond, decimal.js works for minutes or runs out of memory. */
const far = 1e300
/** Of what grows with the exponential. */
const near = 1_000
const anywhere = Number.POSITIVE_INFINITY
/** Nearer to 0 it takes as long, but for what may be anywhere. */
const smallest = 1e-300

type FineOperation = readonly [
  least: number,
  most: number,
  run: (args: readonly Decimal[]) => Decimal,
  reach: number,
]

/**
 * Operations whose answers have no last digit. Their arguments come with at most 50 digits: with many
 * more, decimal.js runs past its table of pi and throws with its settings left in disorder.
 */
export const fine: ReadonlyMap<string, FineOperation> = new Map<string, FineOperation>([
  ['exp', [1, 1, ([a]) => Fine.exp(of(a)), far]],
  ['ln', [1, 1, ([a]) => Fine.ln(of(a)), anywhere]],
  ['log', [1, 2, ([a, b]) => (b ? Fine.log(of(a), b) : Fine.ln(of(a))), anywhere]],
  ['log2', [1, 1, ([a]) => Fine.log2(of(a)), anywhere]],
  ['log10', [1, 1, ([a]) => Fine.log10(of(a)), anywhere]],
  ['sin', [1, 1, ([a]) => angle('sin', of(a)), far]],
  ['cos', [1, 1, ([a]) => angle('cos', of(a)), far]],
  ['tan', [1, 1, ([a]) => tangent(of(a)), far]],
  ['asin', [1, 1, ([a]) => Fine.asin(of(a)), far]],
  ['acos', [1, 1, ([a]) => Fine.acos(of(a)), far]],
  ['atan', [1, 1, ([a]) => Fine.atan(of(a)), far]],
  ['atan2', [2, 2, ([a, b]) => Fine.atan2(of(a), of(b)), far]],
  ['sinh', [1, 1, ([a]) => Fine.sinh(of(a)), near]],
  ['cosh', [1, 1, ([a]) => Fine.cosh(of(a)), near]],
  ['tanh', [1, 1, ([a]) => Fine.tanh(of(a)), near]],
  ['asinh', [1, 1, ([a]) => Fine.asinh(of(a)), far]],
  ['acosh', [1, 1, ([a]) => Fine.acosh(of(a)), far]],
  ['atanh', [1, 1, ([a]) => Fine.atanh(of(a)), far]],
  ['hypot', [1, many, (args) => Fine.hypot(...args), far]],
])

/** NaN for an unknown name. Throws an Error for numbers beyond the operation's reach. */
export function runFine(name: string, args: readonly Decimal[]): Decimal {
  const found = fine.get(name)
  if (!found) return new Exact(Number.NaN)
  const [, , run, reach] = found
  const isBeyond = (arg: Decimal): boolean =>
    arg.abs().gt(reach) || (reach !== anywhere && !arg.isZero() && arg.abs().lt(smallest))
  if (args.some(isBeyond)) {
    throw new Error(`${name} is not worked out of so large or small a number`)
  }
  return run(args.map(toFine))
}

export function of(number: Decimal | undefined): Decimal {
  if (number === undefined) throw new Error('a number is missing')
  return number
}

export function notZero(number: Decimal | undefined): Decimal {
  if (of(number).isZero()) throw new Error('division by zero')
  return of(number)
}

export function toFine(number: Decimal): Decimal {
  return new Fine(number).toSignificantDigits(Fine.precision)
}

/** A whole number that is held to its last digit. */
function isWhole(number: Decimal): boolean {
  return number.isInteger() && number.e < Exact.precision
}

/** Whole numbers that reach further apart than digits are held. */
function isTooLong(a: Decimal, b: Decimal): boolean {
  if (!a.isInteger() || !b.isInteger() || a.isZero() || b.isZero()) return false
  return Math.max(a.e, b.e) >= Exact.precision
}

/** What is left of two numbers without a last digit that are as good as equal is nothing. */
function added(a: Decimal, b: Decimal): Decimal {
  const sum = Exact.add(a, b)
  if (isTooLong(a, b)) throw new Error('these whole numbers are too long to be added exactly')
  const isCut = [a, b].some((each) => each.precision() >= Exact.precision - 10 && !isWhole(each))
  return isCut && sum.e < Math.max(a.e, b.e) - Exact.precision + 50 ? new Exact(0) : sum
}

/** Halves go away from zero. `digits` may be negative. */
export function roundTo(number: Decimal, digits: Decimal | undefined): Decimal {
  if (!digits) return number.toDecimalPlaces(0, Decimal.ROUND_HALF_UP)
  if (!digits.isInteger() || digits.abs().gt(1_000))
    throw new Error('round to -1000 to 1000 digits')
  const scale = Exact.pow(10, digits)
  return Exact.div(Exact.mul(number, scale).toDecimalPlaces(0, Decimal.ROUND_HALF_UP), scale)
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

/** The sign of the divisor, as people and Python count: -7 % 3 is 2. */
function floorMod(a: Decimal, b: Decimal): Decimal {
  if (Math.max(a.e, b.e) >= Exact.precision)
    throw new Error('a remainder is for numbers of up to 1,000 digits')
  const rest = Exact.mod(a, b)
  return rest.isZero() || rest.isNegative() === b.isNegative() ? rest : Exact.add(rest, b)
}

function mean(args: readonly Decimal[]): Decimal {
  return Exact.div(Exact.sum(...args), args.length)
}

function median(args: readonly Decimal[]): Decimal {
  const sorted = [...args].sort((a, b) => a.comparedTo(b))
  const half = sorted.length >> 1
  return sorted.length % 2 === 1 ? of(sorted[half]) : mean(sorted.slice(half - 1, half + 1))
}

/** Of a sample: over one less than there are. */
function variance(args: readonly Decimal[]): Decimal {
  const middle = mean(args)
  const squares = args.map((each) => Exact.pow(Exact.sub(each, middle), 2))
  return Exact.div(Exact.sum(...squares), args.length - 1)
}

function gcd(a: Decimal, b: Decimal, work: Work): Decimal {
  let [large, small] = [integer(a).abs(), integer(b).abs()]
  while (!small.isZero()) {
    step(work, 1)
    ;[large, small] = [small, Exact.mod(large, small)]
  }
  return large
}

function lcm(a: Decimal, b: Decimal, work: Work): Decimal {
  if (a.isZero() || b.isZero()) return new Exact(0)
  return Exact.div(Exact.mul(a, b).abs(), gcd(a, b, work))
}

function integer(number: Decimal): Decimal {
  if (!isWhole(number)) {
    throw new Error('only for whole numbers of up to 1,000 digits')
  }
  return number
}

export function step(work: Work, count: number): void {
  work.steps += count
  if (work.steps > mostSteps) throw new Error('too much work')
}

function factorial(number: Decimal, work: Work): Decimal {
  if (!number.isInteger() || number.isNegative() || number.gt(largestFactorial)) {
    throw new Error(`factorial is for whole numbers from 0 to ${largestFactorial}`)
  }
  return permutations(number, number, work)
}

function permutations(n: Decimal, k: Decimal, work: Work): Decimal {
  if (!n.isInteger() || !k.isInteger() || k.isNegative() || k.gt(largestFactorial)) {
    throw new Error(`for whole numbers, the second from 0 to ${largestFactorial}`)
  }
  if (k.gt(n)) return new Exact(0)
  let product = new Exact(1)
  for (let index = 0; index < k.toNumber(); index += 1) product = product.mul(n.sub(index))
  step(work, k.toNumber())
  return product
}

function combinations(n: Decimal, k: Decimal, work: Work): Decimal {
  const other = Exact.sub(n, k)
  const fewer = other.isNegative() || k.lt(other) ? k : other
  return Exact.div(permutations(n, fewer, work), factorial(fewer, work))
}
