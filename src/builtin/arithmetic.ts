/**
 * Works an expression out in decimal numbers, with units. Loaded on first use: decimal.js is 32 KB.
 * @module
 */
import type { Decimal } from 'decimal.js'
import type { Expression } from './expression.ts'
import {
  exact,
  Fine,
  fine,
  measured,
  notZero,
  of,
  roundTo,
  runFine,
  step,
  toFine,
  type Work,
} from './operations.ts'
import {
  inUnits,
  noOffsets,
  plainNumber,
  type Quantity,
  shownUnits,
  times,
  toPower,
  unitQuantity,
} from './quantity.ts'
import { alignTemperatures, isPoint } from './temperatures.ts'
import { Exact } from './units.ts'

const shownDigits = 30

/** CODATA 2022; the SI's own are exact. */
const constants: ReadonlyMap<string, string> = new Map([
  ['speed_of_light', '299792458 m s^-1'],
  ['planck', '6.62607015e-34 J s'],
  ['boltzmann', '1.380649e-23 J K^-1'],
  ['avogadro', '6.02214076e23 mol^-1'],
  ['elementary_charge', '1.602176634e-19 C'],
  ['gas_constant', '8.31446261815324 J mol^-1 K^-1'],
  ['standard_gravity', '9.80665 m s^-2'],
  ['gravitational_constant', '6.67430e-11 m^3 kg^-1 s^-2'],
  ['electron_mass', '9.1093837139e-31 kg'],
  ['proton_mass', '1.67262192595e-27 kg'],
])

const numbers: ReadonlyMap<string, Decimal> = new Map([
  ['pi', Fine.acos(-1)],
  ['tau', Fine.acos(-1).mul(2)],
  ['e', Fine.exp(1)],
  ['phi', Fine.sqrt(5).add(1).div(2)],
])

/**
 * The value as text: exact up to 990 digits where the operations are, else rounded to 30 significant
 * digits; with its unit behind it. Throws an Error for what has no real, finite value, for units that
 * do not go together, and for unknown names. The work is bounded.
 */
export function evaluate(expression: Expression): string {
  const { number, rounded, units } = resolve(expression, { steps: 0 })
  if (number.isNaN()) throw new Error('there is no real number that this is')
  if (!number.isFinite()) throw new Error('too large')
  const text = format(number, rounded || number.precision() >= Exact.precision - 10)
  return units.length === 0 ? text : `${text} ${shownUnits(units)}`
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

function plain(number: Decimal, rounded: boolean): Quantity {
  return { number, rounded, units: [] }
}

function resolve(expression: Expression, work: Work): Quantity {
  step(work, 1)
  switch (expression.kind) {
    case 'number':
      return plain(new Exact(expression.text), false)
    case 'name':
      return named(expression.name)
    case 'measure':
      return times(resolve(expression.number, work), unit(expression.unit, work), 1)
    case 'convert':
      return convert(resolve(expression.value, work), resolve(expression.to, work))
    case 'call':
      return apply(expression.name.toLowerCase(), expression.args, work)
  }
}

function named(name: string): Quantity {
  const lower = name.toLowerCase()
  const number = numbers.get(lower)
  if (number && (lower.length > 1 || name === lower)) return plain(number, true)
  const constant = constants.get(lower)
  if (constant) return constantOf(constant)
  const found = unitQuantity(name)
  if (found) return found
  throw new Error(`unknown name "${name}"`)
}

function constantOf(text: string): Quantity {
  const [number = '', ...units] = text.split(' ')
  return units.reduce(
    (all, each) => {
      const [name = '', power = '1'] = each.split('^')
      const one = unitQuantity(name) ?? plain(new Exact(1), false)
      return times(all, toPower(one, Number(power), one.number), 1)
    },
    plain(new Exact(number), false),
  )
}

/** What stands right behind a number must be a unit: `2pi` may be a slip. */
function unit(expression: Expression, work: Work): Quantity {
  const found = resolve(expression, work)
  if (found.units.length > 0) return found
  throw new Error('only a unit may stand right behind a number; write * to multiply')
}

function convert(value: Quantity, to: Quantity): Quantity {
  if (to.units.length === 0 || !to.number.eq(1)) throw new Error('convert to a unit, such as km/h')
  return inUnits(value, to.units)
}

function apply(name: string, expressions: readonly Expression[], work: Work): Quantity {
  const [least, most] = arityOf(name)
  const count = expressions.length
  if (count < least || count > most) {
    throw new Error(
      `${name} takes ${least === most ? least : `${least} to ${most}`} numbers, not ${count}`,
    )
  }
  const values = expressions.map((each) => resolve(each, work))
  const [a, b] = values as [Quantity, Quantity]
  if (name === 'mul' || name === 'div') noOffsets([...a.units, ...b.units])
  if (name === 'mul') return times(a, b, 1)
  if (name === 'div') return times(a, { ...b, number: notZero(b.number) }, -1)
  if (name === 'pow') return power(a, plainNumber(b, 'an exponent'))
  if (name === 'sqrt') return toPower(a, 0.5, Exact.sqrt(a.number))
  if (name === 'root') return root(a, plainNumber(b, 'the degree of a root'))
  if (name === 'round') return { ...a, number: roundTo(a.number, b && plainNumber(b, name).number) }
  const rounded = values.some((each) => each.rounded)
  const alike = measured.get(name)
  if (alike) return inOneUnit(name, values, (args) => alike[2](args, work))
  const numbers = values.map((each) => plainNumber(each, name))
  const stillRounded = rounded || numbers.some((each) => each.rounded)
  const args = numbers.map(({ number }) => number)
  const run = exact.get(name)
  if (run) return plain(run[2](args, work), stillRounded)
  return plain(runFine(name, args), true)
}

const special: ReadonlyMap<string, readonly [number, number]> = new Map([
  ['mul', [2, 2]],
  ['div', [2, 2]],
  ['pow', [2, 2]],
  ['sqrt', [1, 1]],
  ['root', [2, 2]],
  ['round', [1, 2]],
])

function arityOf(name: string): readonly [number, number] {
  const found = special.get(name) ?? measured.get(name) ?? exact.get(name) ?? fine.get(name)
  if (!found) throw new Error(`unknown function "${name}"`)
  return [found[0], found[1]]
}

/** In the unit of the first, unless temperatures ask for another. */
function inOneUnit(
  name: string,
  values: readonly Quantity[],
  run: (numbers: readonly Decimal[]) => Decimal,
): Quantity {
  const [{ units: own }] = values as [Quantity]
  const { values: alike, units } = values.some(isPoint)
    ? alignTemperatures(name, values)
    : { values: values.map((each) => inUnits(each, own)), units: own }
  const number = run(alike.map((each) => each.number))
  return { number, rounded: alike.some((each) => each.rounded), units }
}

function power(base: Quantity, { number: exponent, rounded }: Quantity): Quantity {
  const { number } = base
  if (number.isZero() && exponent.isNegative() && !exponent.isZero()) notZero(number)
  const whole = exponent.isInteger() && exponent.abs().lte(1e9)
  if (base.units.length > 0) {
    if (!whole && !exponent.eq(0.5)) throw new Error('a unit takes a whole exponent')
    const raised = whole ? Exact.pow(number, exponent) : Exact.sqrt(number)
    return toPower(base, exponent.toNumber(), raised)
  }
  return whole
    ? plain(Exact.pow(number, exponent), base.rounded || rounded)
    : plain(Fine.pow(toFine(number), toFine(exponent)), true)
}

/** The real root: of a negative number where the degree is odd. */
function root(base: Quantity, { number: degree }: Quantity): Quantity {
  if (!degree.isInteger() || degree.lt(1) || degree.gt(1_000)) {
    throw new Error('the degree of a root is a whole number from 1 to 1000')
  }
  const { number } = plainNumber(base, 'root')
  const odd = !degree.mod(2).isZero()
  if (number.isNegative() && !odd) return plain(new Exact(Number.NaN), false)
  const found = Fine.pow(toFine(number.abs()), Fine.div(1, degree))
  // 27^(1/3) is 3 although a third has no last digit.
  const near = found.toDecimalPlaces(20)
  const hit = Exact.pow(near, degree).eq(number.abs())
  const size = hit ? new Exact(near) : found
  return plain(of(number.isNegative() ? size.neg() : size), base.rounded || !hit)
}
