/**
 * Units by name: exact factors to the SI's base units, from the SI Brochure (9th edition, 2019) and NIST
 * Special Publication 811. Part of `arithmetic.ts`'s chunk.
 * @module
 */
import { Decimal } from 'decimal.js'

export const Exact: typeof Decimal = Decimal.clone({
  defaults: true,
  precision: 1_000,
  maxE: 1e9,
  minE: -1e9,
})

/** Powers of m, kg, s, A, K, mol, cd and bit. */
export type Dimensions = readonly number[]

export interface Unit {
  /** In base units: `over / under`, kept apart so that 5/9 stays exact. */
  readonly over: Decimal
  readonly under: Decimal
  readonly dimensions: Dimensions
  /** Added to a temperature before the factor applies: its zero is elsewhere. */
  readonly offset?: Decimal
  /** The unit in which two temperatures of such a unit differ. */
  readonly difference?: string
  readonly isDifference?: boolean
  /** The factor has no last digit. */
  readonly rounded?: boolean
}

const bases = ['m', 'kg', 's', 'A', 'K', 'mol', 'cd', 'bit']
export const none: Dimensions = bases.map(() => 0)
const pi = Decimal.clone({ defaults: true, precision: 60 }).acos(-1).toFixed(50)

/** `names | factor | dimensions | prefixes`: `s` short (km), `l` long (kilometer), `i` binary too (MiB). */
const table = `
m | 1 | m | s
meter meters metre metres | 1 | m | l
inch inches in | 0.0254 | m
foot feet ft | 0.3048 | m
yard yards yd | 0.9144 | m
mile miles mi | 1609.344 | m
nmi nauticalmile nauticalmiles | 1852 | m
au | 149597870700 | m
ly lightyear lightyears | 9460730472580800 | m
angstrom | 1e-10 | m
g | 0.001 | kg | s
gram grams gramme grammes | 0.001 | kg | l
t | 1000 | kg | s
tonne tonnes | 1000 | kg
lb lbs lbm pound pounds | 0.45359237 | kg
oz ounce ounces | 0.028349523125 | kg
stone st | 6.35029318 | kg
ton tons shortton | 907.18474 | kg
ct carat carats | 0.0002 | kg
s | 1 | s | s
sec secs second seconds | 1 | s | l
min mins minute minutes | 60 | s
h hr hrs hour hours | 3600 | s
day days | 86400 | s
week weeks wk | 604800 | s
month months | 2629800 | s
year years yr | 31557600 | s
A | 1 | A | s
ampere amperes amp amps | 1 | A | l
K | 1 | K | s
kelvin | 1 | K
mol | 1 | mol | s
mole moles | 1 | mol
cd lm | 1 | cd | s
candela lumen lumens | 1 | cd
lx lux | 1 | cd m^-2
bit bits | 1 | bit | sli
b | 1 | bit | si
byte bytes | 8 | bit | li
B | 8 | bit | si
rad sr | 1 | | s
radian radians | 1 |
deg degree degrees | ${pi} / 180 |
arcmin | ${pi} / 10800 |
arcsec | ${pi} / 648000 |
grad gon | ${pi} / 200 |
turn turns rev revolution revolutions | 2 * ${pi} |
Hz hertz | 1 | s^-1 | s
N newton newtons | 1 | kg m s^-2 | s
lbf | 4.4482216152605 | kg m s^-2
kgf | 9.80665 | kg m s^-2
dyn | 1e-5 | kg m s^-2
Pa pascal pascals | 1 | kg m^-1 s^-2 | s
bar bars | 100000 | kg m^-1 s^-2 | s
atm | 101325 | kg m^-1 s^-2
psi | 4.4482216152605 / 0.00064516 | kg m^-1 s^-2
mmHg | 133.322387415 | kg m^-1 s^-2
torr | 101325 / 760 | kg m^-1 s^-2
J joule joules | 1 | kg m^2 s^-2 | s
cal calorie calories | 4.184 | kg m^2 s^-2 | s
Wh | 3600 | kg m^2 s^-2 | s
eV | 1.602176634e-19 | kg m^2 s^-2 | s
BTU btu | 1055.05585262 | kg m^2 s^-2
W watt watts | 1 | kg m^2 s^-3 | s
hp horsepower | 745.69987158227022 | kg m^2 s^-3
V volt volts | 1 | kg m^2 s^-3 A^-1 | s
ohm ohms | 1 | kg m^2 s^-3 A^-2 | s
S siemens | 1 | kg^-1 m^-2 s^3 A^2 | s
F farad farads | 1 | kg^-1 m^-2 s^4 A^2 | s
H henry | 1 | kg m^2 s^-2 A^-2 | s
C coulomb coulombs | 1 | s A | s
Ah | 3600 | s A | s
Wb weber | 1 | kg m^2 s^-2 A^-1 | s
T tesla | 1 | kg s^-2 A^-1 | s
L l | 0.001 | m^3 | s
liter liters litre litres | 0.001 | m^3 | l
gallon gallons gal | 0.003785411784 | m^3
quart quarts qt | 0.000946352946 | m^3
pint pints pt | 0.000473176473 | m^3
cup cups | 0.0002365882365 | m^3
floz | 0.0000295735295625 | m^3
tbsp tablespoon tablespoons | 0.00001478676478125 | m^3
tsp teaspoon teaspoons | 0.00000492892159375 | m^3
impgal | 0.00454609 | m^3
ha hectare hectares | 10000 | m^2
acre acres | 4046.8564224 | m^2
kph kmh | 1000 / 3600 | m s^-1
mph | 1609.344 / 3600 | m s^-1
knot knots kn kt | 1852 / 3600 | m s^-1
gee | 9.80665 | m s^-2
`

/** As points on a scale, and with `delta_` before the name as differences. */
const temperatures: readonly [names: string, offset: string, over: number, under: number][] = [
  ['degC celsius', '273.15', 1, 1],
  ['degF fahrenheit', '459.67', 5, 9],
]

/** Decimal powers of ten; `u` also stands for micro. */
const short: Readonly<Record<string, number>> = {
  ...{ y: -24, z: -21, a: -18, f: -15, p: -12, n: -9, u: -6, m: -3, c: -2, d: -1, da: 1, h: 2 },
  ...{ k: 3, M: 6, G: 9, T: 12, P: 15, E: 18, Z: 21, Y: 24 },
}
const long: Readonly<Record<string, number>> = {
  ...{ pico: -12, nano: -9, micro: -6, milli: -3, centi: -2, deci: -1, deca: 1, hecto: 2 },
  ...{ kilo: 3, mega: 6, giga: 9, tera: 12, peta: 15, exa: 18 },
}
const binaryShort = ['Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei']
const binaryLong = ['kibi', 'mebi', 'gibi', 'tebi', 'pebi', 'exbi']

const prefixSets = [
  ['s', short, binaryShort],
  ['l', long, binaryLong],
] as const

const units = readTable()

/** A unit by its exact name; a long one (`Kilometers`) in any case. */
export function unitOf(name: string): Unit | undefined {
  return units.get(name) ?? (name.length > 3 ? units.get(name.toLowerCase()) : undefined)
}

function readTable(): Map<string, Unit> {
  const found = new Map<string, Unit>()
  for (const row of table.trim().split('\n')) {
    const [names = '', factor = '', dimensions = '', prefixes = ''] = row
      .split('|')
      .map((part) => part.trim())
    const unit = { ...ratioOf(factor), dimensions: dimensionsOf(dimensions) }
    for (const name of names.split(' ')) addUnit(found, name, unit, prefixes)
  }
  for (const [names, offset, over, under] of temperatures) {
    const factor = { over: new Exact(over), under: new Exact(under) }
    const unit = { ...factor, dimensions: dimensionsOf('K') }
    for (const name of names.split(' ')) {
      const difference = `delta_${name}`
      found.set(name, { ...unit, offset: new Exact(offset), difference })
      found.set(difference, { ...unit, isDifference: true })
    }
  }
  return found
}

function addUnit(found: Map<string, Unit>, name: string, unit: Unit, prefixes: string): void {
  const scaled = (over: Decimal): Unit => ({ ...unit, over: Exact.mul(unit.over, over) })
  // What has a name of its own (`min`, `ft`) is no prefix with a unit.
  const add = (key: string, own: Unit) => found.has(key) || found.set(key, own)
  found.set(name, unit)
  for (const [flag, decimal, binary] of prefixSets) {
    if (!prefixes.includes(flag)) continue
    for (const [prefix, power] of Object.entries(decimal)) {
      add(prefix + name, scaled(Exact.pow(10, power)))
    }
    if (!prefixes.includes('i')) continue
    binary.forEach((prefix, index) => void add(prefix + name, scaled(Exact.pow(1024, index + 1))))
  }
}

function ratioOf(text: string): Pick<Unit, 'over' | 'under' | 'rounded'> {
  const [over = '', under = '1'] = text.split('/')
  const product = over.split('*').reduce((all, each) => Exact.mul(all, each.trim()), new Exact(1))
  const rounded = text.includes(pi) && { rounded: true }
  return { over: product, under: new Exact(under.trim()), ...rounded }
}

function dimensionsOf(text: string): Dimensions {
  const powers = new Map(
    text.split(' ').map((part) => {
      const [base = '', power = '1'] = part.split('^')
      return [base, Number(power)]
    }),
  )
  return bases.map((base) => powers.get(base) ?? 0)
}
