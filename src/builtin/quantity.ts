/**
 * Numbers with units. A number stays in the units it was written in until it meets others.
 * @module
 */
import type { Decimal } from 'decimal.js'
import { type Dimensions, Exact, none, type Unit, unitOf } from './units.ts'

export interface UnitPower {
  readonly name: string
  readonly unit: Unit
  readonly power: number
}

export interface Quantity {
  readonly number: Decimal
  /** Only some of its digits mean anything. */
  readonly rounded: boolean
  readonly units: readonly UnitPower[]
}

/** What stands behind a number, as in `3 km`; `undefined` for a name that is no unit. */
export function unitQuantity(name: string): Quantity | undefined {
  const unit = unitOf(name)
  return (
    unit && {
      number: new Exact(1),
      rounded: unit.rounded === true,
      units: [{ name, unit, power: 1 }],
    }
  )
}

export function dimensionsOf(units: readonly UnitPower[]): Dimensions {
  return none.map((_, at) =>
    units.reduce((sum, { unit, power }) => sum + (unit.dimensions[at] ?? 0) * power, 0),
  )
}

export function isSameKind(a: readonly UnitPower[], b: readonly UnitPower[]): boolean {
  return String(dimensionsOf(a)) === String(dimensionsOf(b))
}

/** The same in other units. Throws when they measure something else. */
export function inUnits(from: Quantity, units: readonly UnitPower[]): Quantity {
  if (!isSameKind(from.units, units)) {
    throw new Error(
      `${shownUnits(from.units)} and ${shownUnits(units)} do not measure the same${hint(from.units)}`,
    )
  }
  if (nameOf(from.units) === nameOf(units)) return { ...from, units }
  const [own] = from.units
  const [other] = units
  const names = `${shownUnits(from.units)} to ${shownUnits(units)}`
  if (own?.unit.offset && other?.unit.isDifference) {
    throw new Error(`${names}: a temperature is no difference`)
  }
  if (own?.unit.isDifference && other?.unit.offset) {
    throw new Error(
      `${names}: a difference is no temperature; convert it to ${other.unit.difference}`,
    )
  }
  // From one zero to the other; differences have none.
  const before = isTemperature(from.units) ? (own?.unit.offset ?? 0) : 0
  const after = isTemperature(units) ? (other?.unit.offset ?? 0) : 0
  let over = new Exact(from.number).add(before)
  let under = new Exact(1)
  const rounded = [...from.units, ...units].some(({ unit }) => unit.rounded)
  for (const { unit, power } of from.units) {
    over = over.mul(Exact.pow(unit.over, power))
    under = under.mul(Exact.pow(unit.under, power))
  }
  for (const { unit, power } of units) {
    over = over.mul(Exact.pow(unit.under, power))
    under = under.mul(Exact.pow(unit.over, power))
  }
  return { number: Exact.div(over, under).sub(after), rounded: from.rounded || rounded, units }
}

function isTemperature(units: readonly UnitPower[]): boolean {
  return units.length === 1 && units[0]?.power === 1
}

function hint(units: readonly UnitPower[]): string {
  return units.some(({ name }) => name === 'C' || name === 'F') ? '; degrees are degC and degF' : ''
}

/** A number without units: an angle in radians, a ratio. Throws for anything that is measured. */
export function plainNumber(quantity: Quantity, what: string): Quantity {
  if (quantity.units.length === 0) return quantity
  if (isSameKind(quantity.units, [])) return inUnits(quantity, [])
  throw new Error(`${what} takes a plain number, not ${shownUnits(quantity.units)}`)
}

export function times(a: Quantity, b: Quantity, power: 1 | -1): Quantity {
  let over = power === 1 ? Exact.mul(a.number, b.number) : new Exact(a.number)
  let under = power === 1 ? new Exact(1) : new Exact(b.number)
  let rounded = a.rounded || b.rounded
  const units = [...a.units]
  for (const each of b.units) {
    const exponent = each.power * power
    const at = units.findIndex((own) => own.name === each.name || isLike(own.unit, each.unit))
    const own = units[at]
    if (!own) {
      units.push({ ...each, power: exponent })
      continue
    }
    if (own.name !== each.name) {
      const ratio = (one: Decimal, other: Decimal) => Exact.pow(Exact.mul(one, other), exponent)
      over = over.mul(ratio(each.unit.over, own.unit.under))
      under = under.mul(ratio(each.unit.under, own.unit.over))
      rounded ||= own.unit.rounded === true || each.unit.rounded === true
    }
    units[at] = { ...own, power: own.power + exponent }
  }
  if (under.isZero()) throw new Error('division by zero')
  const left = units.filter(({ power: own }) => own !== 0)
  checkOffsets(left)
  return { number: Exact.div(over, under), rounded, units: left }
}

function isLike(a: Unit, b: Unit): boolean {
  return String(a.dimensions) === String(b.dimensions) && !a.offset && !b.offset
}

/** 20 °C is no multiple of 10 °C: such a unit only stands alone. */
function checkOffsets(units: readonly UnitPower[]): void {
  if (!isTemperature(units)) noOffsets(units)
}

export function noOffsets(units: readonly UnitPower[]): void {
  const shifted = units.find(({ unit }) => unit.offset)
  if (!shifted) return
  throw new Error(
    `${shifted.name} is a point on a scale and no amount: use K, or ${shifted.unit.difference} for a difference`,
  )
}

export function toPower(base: Quantity, exponent: number, number: Decimal): Quantity {
  const units = base.units.map((each) => ({ ...each, power: each.power * exponent }))
  if (units.some(({ power }) => !Number.isInteger(power))) {
    throw new Error(`${shownUnits(base.units)} has no such root`)
  }
  checkOffsets(units)
  return { ...base, number, units: units.filter(({ power }) => power !== 0) }
}

function nameOf(units: readonly UnitPower[]): string {
  return units.map(({ name, power }) => `${name}^${power}`).join(' ')
}

/** `km/h`, `kg m/s^2`, `1/s`; `a plain number` for none. */
export function shownUnits(units: readonly UnitPower[]): string {
  const part = (wanted: 1 | -1) =>
    units
      .filter(({ power }) => Math.sign(power) === wanted)
      .map(({ name, power }) => (Math.abs(power) === 1 ? name : `${name}^${Math.abs(power)}`))
  const [over, under] = [part(1), part(-1)]
  if (over.length + under.length === 0) return 'a plain number'
  const below = under.length > 1 ? `(${under.join(' ')})` : under.join('')
  return below ? `${over.join(' ') || '1'}/${below}` : over.join(' ')
}
