import { describe, expect, it } from 'vitest'
import { calculateTool } from '../../../src/builtin/calculate.ts'
import { call } from './call.ts'

const calculate = (...expressions: string[]) => call(calculateTool(), { expressions })
const one = async (expression: string) => {
  const { value, content } = await calculate(expression, '0')
  return (value as Record<string, string>)[expression] ?? content
}

describe('calculate', () => {
  it.each([
    ['0.1+0.2', '0.3'],
    ['2^200', '1606938044258990275541962092341162602522202993782792835301376'],
    ['7/2', '3.5'],
    ['2*3^2', '18'],
    ['-2^2', '-4'],
    ['2^3^2', '512'],
    ['2**-2', '0.25'],
    ['2^-3', '0.125'],
    ['10 - 2 - 3', '5'],
    ['100/10/2', '5'],
    ['(1 + 2) * 3', '9'],
    ['1/3', '0.333333333333333333333333333333'],
    ['1/3*3', '1'],
    ['1.10 * 3', '3.3'],
    ['12345678901234567890 * 98765432109876543210', '1219326311370217952237463801111263526900'],
    ['9007199254740993 + 0', '9007199254740993'],
    ['3 × 4 ÷ 2 − 1', '5'],
    ['5!', '120'],
    ['25!', '15511210043330985984000000'],
    ['10 % 3', '1'],
    ['10^999 + 1 - 10^999', '1'],
    ['2^3000 % 7', '1'],
    ['-7 % 3', '2'],
    ['0xff + 0b11', '258'],
    ['1.5e3', '1500'],
    ['.5 + 5.', '5.5'],
    ['sqrt(16)', '4'],
    ['sqrt(2)', '1.41421356237309504880168872421'],
    ['16^0.5', '4'],
    ['cbrt(27)', '3'],
    ['round(2.5)', '3'],
    ['round(-2.5)', '-3'],
    ['round(1.005, 2)', '1.01'],
    ['round(1234, -2)', '1200'],
    ['floor(-1.5)', '-2'],
    ['min(3, 1, 2) + max(3, 1, 2)', '4'],
    ['sum(1, 2, 3) / mean(2, 4)', '2'],
    ['gcd(12, 18) + lcm(4, 6)', '18'],
    ['PI', '3.14159265358979323846264338328'],
    ['sin(pi)', '0'],
    ['sin(pi/6)', '0.5'],
    ['cos(pi/2)', '0'],
    ['ln(e)', '1'],
    ['log(8, 2) + log2(8) + log10(1000)', '9'],
    ['exp(0)', '1'],
    ['asinh(5000)', '9.21034038197618258607196915207'],
    ['asinh(-5000)', '-9.21034038197618258607196915207'],
    ['acosh(1e300)', '691.468675078773650514814668527'],
    ['sinh(1000)', '9.85035557008523496944439676122e+433'],
    ['log10(1e999999999) + log2(2^-5000)', '999994999'],
    ['hypot(3, 4)', '5'],
    ['9^9^9', '4.28124773175747048036987115931e+369693099'],
    ['2^5000', '1.41246703213942603683520966702e+1505'],
  ])('%s is %s', async (expression, expected) => {
    expect(await one(expression)).toBe(expected)
  })

  it.each([
    ['1/0', 'division by zero'],
    ['5 % 0', 'division by zero'],
    ['sinh(1e6)', 'sinh is not worked out of so large or small a number'],
    ['cosh(-1001)', 'so large or small'],
    ['tanh(1e6)', 'so large or small'],
    ['hypot(1, 1e302)', 'so large or small'],
    ['sin(1e-302)', 'so large or small'],
    ['asinh(1e-900000000)', 'so large or small'],
    ['atan(1e999999999)', 'so large or small'],
    ['1e999999999 % 7', 'up to 1,000 digits'],
    ['7^5000 % 13', 'up to 1,000 digits'],
    ['gcd(10^5000 + 1, 10^4999 + 3)', 'too long to be added exactly'],
    ['sum(10^3000, 1, -10^3000)', 'too long to be added exactly'],
    ['gcd(7^5000, 7)', 'up to 1,000 digits'],
    ['0^-1', 'division by zero'],
    ['sqrt(-1)', 'no real number'],
    ['(-8)^(1/3)', 'no real number'],
    ['tan(pi/2)', 'no value'],
    ['1e999999999 * 1e999999999', 'too large'],
    ['10%', 'remainder'],
    ['50% + 1', 'remainder'],
    ['2pi', 'write * to multiply'],
    ['1,000', 'unexpected ","'],
    ['(1', '")" is missing'],
    ['1 +', 'ends too early'],
    ['x + 1', 'unknown name "x"'],
    ['foo(1)', 'unknown function "foo"'],
    ['sqrt()', 'takes 1 numbers, not 0'],
    ['round(1, 2, 3)', 'takes 1 to 2 numbers'],
    ['5000!', 'from 0 to 1000'],
    ['1.5!', 'whole numbers'],
    ['sin(1e100)', 'too uncertain'],
    ['1 = 1', 'unexpected "="'],
    ['constructor', 'unknown name'],
    ['toString()', 'unknown function'],
    ['__proto__', 'unknown name'],
    ['constructor("return 1")()', 'unexpected'],
    ['[1][0]', 'unexpected "["'],
    ['1; 2', 'unexpected ";"'],
    [`${'('.repeat(400)}1${')'.repeat(400)}`, 'nested too deeply'],
    [`${'-'.repeat(900)}1`, 'nested too deeply'],
    [`2${'^2'.repeat(400)}`, 'nested too deeply'],
  ])('%s is an error: %s', async (expression, reason) => {
    const { value, content } = await calculate(expression, '0')
    // `__proto__` is no name that an object may have.
    const text = (value as Record<string, string> | undefined)?.[expression]
    if (expression === '__proto__') expect(content).toBe('{"0":"0"}')
    else expect(text).toMatch(/^error: /)
    if (expression !== '__proto__') expect(text).toContain(reason)
  })

  it.each([
    ['100 km/h to m/s', '27.7777777777777777777777777778 m/s'],
    ['5 km to miles', '3.10685596118666984808717092182 miles'],
    ['1 mi to km', '1.609344 km'],
    ['5 ft + 3 in', '5.25 ft'],
    ['5 ft + 3 in in cm', '160.02 cm'],
    ['5 in', '5 in'],
    ['5 in in cm', '12.7 cm'],
    ['5 in as mm', '127 mm'],
    ['100 km / 2 h', '50 km/h'],
    ['60 km/h * 30 min', '30 km'],
    ['5 km / 500 m', '10'],
    ['9.8 m/s^2 * 2 s', '19.6 m/s'],
    ['(3 m)^2', '9 m^2'],
    ['sqrt(16 m^2)', '4 m'],
    ['5 N * 2 m to J', '10 J'],
    ['1 kWh to MJ', '3.6 MJ'],
    ['20 degC to degF', '68 degF'],
    ['-40 degF to degC', '-40 degC'],
    ['98.6 °F to °C', '37 degC'],
    ['0 K to celsius', '-273.15 celsius'],
    ['max(20 degC, 70 degF)', '21.1111111111111111111111111111 degC'],
    ['20 °C - 5 °C', '15 delta_degC'],
    ['5 degC - 20 degC', '-15 delta_degC'],
    ['68 degF - 50 degF', '18 delta_degF'],
    ['20 degC - 50 degF', '10 delta_degC'],
    ['20 degC - 5 degC to delta_degF', '27 delta_degF'],
    ['68 degF - 50 degF to K', '10 K'],
    ['300 K - 20 degC', '6.85 delta_degC'],
    ['20 degC + 5 delta_degC', '25 degC'],
    ['5 Δ°C + 20 °C', '25 degC'],
    ['20 degC - 9 Δ°F', '15 degC'],
    ['20 degC + 5 K', '25 degC'],
    ['5 K + 20 degC to K', '298.15 K'],
    ['20 K - 5 K', '15 K'],
    ['stdev(20 degC, 50 degF)', '7.07106781186547524400844362105 delta_degC'],
    ['stdev(300 K, 290 K)', '7.07106781186547524400844362105 K'],
    ['mean(20 degC, 68 degF)', '20 degC'],
    ['(20 degC - 5 degC) * 3 W/delta_degC', '45 W'],
    ['4186 J/kg/delta_degC * 2 kg * 10 K to kJ', '83.72 kJ'],
    ['abs(5 degC - 20 degC)', '15 delta_degC'],
    ['-20 degC to degF', '-4 degF'],
    ['sin(30 deg)', '0.5'],
    ['90° to rad', '1.57079632679489661923132169164 rad'],
    ['1 GiB to MB', '1073.741824 MB'],
    ['8 Mbit / 2 s to kB/s', '500 kB/s'],
    ['1 year to days', '365.25 days'],
    ['mean(1 m, 3 ft)', '0.9572 m'],
    ['round(2.345 kg, 2)', '2.35 kg'],
    ['1 / (2 ms)', '0.5 1/ms'],
    ['1 / (2 ms) to Hz', '500 Hz'],
    ['3 cups to mL', '709.7647095 mL'],
    ['1 psi to Pa', '6894.75729316836133672267344535 Pa'],
    ['speed_of_light to km/s', '299792.458 km/s'],
    ['planck * speed_of_light / (500 nm) to eV', '2.47968396866400524475505489116 eV'],
    ['avogadro * 2 mol', '1204428152000000000000000'],
    ['2^3 m', '8 m'],
    ['10 m² to ft²', '107.639104167097223083335055559 ft^2'],
    ['3 Kilometers to m', '3000 m'],
    ['5 µm to nm', '5000 nm'],
    ['median(3, 1, 2) + median(1, 2, 3, 4)', '4.5'],
    ['stdev(2, 4, 4, 4, 5, 5, 7, 9) ^ 2 - variance(2, 4, 4, 4, 5, 5, 7, 9)', '0'],
    ['comb(52, 5)', '2598960'],
    ['perm(10, 3)', '720'],
    ['comb(1000, 998)', '499500'],
    ['root(27, 3)', '3'],
    ['root(-8, 3)', '-2'],
    ['root(2, 12)', '1.05946309435929526456182529495'],
    ['sqrt(2)^2 - 2', '0'],
    ['1/3 * 3 - 1', '0'],
    ['1/3 - 1/3', '0'],
    ['phi', '1.61803398874989484820458683437'],
  ])('%s is %s', async (expression, expected) => {
    expect(await one(expression)).toBe(expected)
  })

  it.each([
    ['5 km + 2 kg', 'kg and km do not measure the same'],
    ['5 km to kg', 'do not measure the same'],
    ['100 F to C', 'degrees are degC and degF'],
    ['20 degC + 5 degC', 'temperatures have no sum: a difference is written 5 delta_degC'],
    ['sum(20 degC, 5 K)', 'temperatures have no sum'],
    ['20 degC - 5 K', 'K may be a temperature or a difference here: write delta_degC'],
    ['5 delta_degC - 20 degC', 'a difference is no temperature'],
    ['20 degC - 5 m', 'do not measure the same'],
    ['(20 degC - 5 degC) to degF', 'convert it to delta_degF'],
    ['20 degC to delta_degF', 'a temperature is no difference'],
    ['max(20 degC, 5 delta_degC)', 'a difference is no temperature'],
    ['20 degC * 2 m', 'degC is a point on a scale'],
    ['(20 degC)^2', 'degC is a point on a scale'],
    ['20 degC * 2', 'use K, or delta_degC for a difference'],
    ['20 degF / 2', 'use K, or delta_degF for a difference'],
    ['5 W/degC', 'degC is a point on a scale'],
    ['20 degC % 3 degC', 'degC is a point on a scale'],
    ['abs(-20 degC)', 'degC is a point on a scale'],
    ['sin(5 m)', 'sin takes a plain number, not m'],
    ['2^(3 m)', 'an exponent takes a plain number'],
    ['sqrt(5 m)', 'm has no such root'],
    ['(5 m)^0.3', 'a unit takes a whole exponent'],
    ['5 km to 2', 'convert to a unit'],
    ['5 km to 2 m', 'convert to a unit'],
    ['5 km to', 'ends too early'],
    ['5 foos', 'unknown name "foos"'],
    ['5 km / 0 h', 'division by zero'],
    ['root(4, 2.5)', 'whole number'],
    ['root(-4, 2)', 'no real number'],
    ['comb(5, -1)', 'whole numbers'],
    ['stdev(1)', 'takes 2 to 100 numbers'],
    ['5 constructor', 'unknown name'],
  ])('%s is an error: %s', async (expression, reason) => {
    expect(await one(expression)).toContain(reason)
  })

  it('units keep to the arithmetic of numbers: there and back, and both orders', async () => {
    const lengths = ['m', 'km', 'ft', 'in', 'mi', 'nmi', 'ly', 'angstrom']
    for (const from of lengths)
      for (const to of lengths) {
        const [a, b] = [
          await one(`7 ${from} + 3 ${to} to m`),
          await one(`3 ${to} + 7 ${from} to m`),
        ]
        expect(a).toBe(b)
        expect(await one(`(7 ${from} to ${to})`)).toMatch(/missing/)
      }
  })

  it('an error leaves the module in order: the next answer is right', async () => {
    await calculate('sin(1e100)', 'ln(-1)', 'tan(pi/2)', 'asin(2)')
    expect(await one('sin(pi/6)')).toBe('0.5')
  })

  it('angles and powers of numbers with a thousand digits', async () => {
    expect(await one('sin(1/3)')).toBe('0.327194696796152244173344085268')
    expect(await one('(1/3)^(1/7)')).toBe('0.854751399907152220301188924791')
  })

  it('fails when no expression has a value, with every reason', async () => {
    const result = await calculate('1/0', 'x')
    expect(result.outcome).toBe('failed')
    expect(result.content).toContain('1/0: division by zero; x: unknown name "x"')
  })

  it('bounds its input', async () => {
    expect((await calculate()).outcome).toBe('invalid')
    expect((await calculate('1'.repeat(1_001))).outcome).toBe('invalid')
    expect((await calculate(...Array(51).fill('1'))).outcome).toBe('invalid')
    expect((await call(calculateTool(), { expressions: ['1'], x: 1 })).outcome).toBe('invalid')
  })
})
