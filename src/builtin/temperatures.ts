/**
 * Temperatures with a zero of their own: degC and degF are points on a scale. Two of them differ by an
 * amount, in delta_degC or delta_degF; they have no sum.
 * @module
 */
import { inUnits, noOffsets, type Quantity, shownUnits, type UnitPower } from './quantity.ts'
import { unitOf } from './units.ts'

/** Arguments whose numbers go together, and the unit of what comes of them. */
export interface Aligned {
  readonly values: readonly Quantity[]
  readonly units: readonly UnitPower[]
}

export function isPoint({ units }: Quantity): boolean {
  return units.some(({ unit }) => unit.offset)
}

/** For an operation with a point among its arguments. Throws an Error where that means nothing. */
export function alignTemperatures(name: string, values: readonly Quantity[]): Aligned {
  const [a, b] = values as [Quantity, Quantity]
  if (name === 'sum' || (name === 'add' && isPoint(a) && isPoint(b))) {
    throw new Error('temperatures have no sum: a difference is written 5 delta_degC')
  }
  if (name === 'add') return isPoint(a) ? moved(a, b) : moved(b, a)
  if (name === 'sub') return isDifference(b) ? moved(a, b) : difference(a, b)
  if (name === 'abs' || name === 'mod') noOffsets(values.flatMap(({ units }) => units))
  const all = values.map((each) => inUnits(each, a.units))
  return { values: all, units: name === 'stdev' && isPoint(a) ? apart(a.units) : a.units }
}

/** A point some way up or down; how far may also be given in K. */
function moved(point: Quantity, by: Quantity): Aligned {
  return { values: [point, inUnits(by, apart(point.units))], units: point.units }
}

function difference(a: Quantity, b: Quantity): Aligned {
  const scale = isPoint(a) ? a.units : b.units
  const values = [inUnits(a, scale), inUnits(b, scale)]
  if (isPoint(b)) return { values, units: apart(scale) }
  throw new Error(
    `${shownUnits(b.units)} may be a temperature or a difference here: write ${shownUnits(apart(scale))} for a difference`,
  )
}

function isDifference({ units }: Quantity): boolean {
  return units.some(({ unit }) => unit.isDifference)
}

/** The unit in which points of this one differ. */
function apart(units: readonly UnitPower[]): readonly UnitPower[] {
  return units.flatMap(({ unit: { difference: name = '' }, power }) => {
    const unit = unitOf(name)
    return unit ? [{ name, unit, power }] : []
  })
}
