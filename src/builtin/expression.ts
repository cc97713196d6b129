/**
 * Reads an arithmetic expression into a tree. Nothing is looked up or run here.
 * @module
 */

export type Expression =
  | { readonly kind: 'number'; readonly text: string }
  | { readonly kind: 'name'; readonly name: string }
  /** A number with what stands right behind it: `3 km`. */
  | { readonly kind: 'measure'; readonly number: Expression; readonly unit: Expression }
  | { readonly kind: 'convert'; readonly value: Expression; readonly to: Expression }
  | { readonly kind: 'call'; readonly name: string; readonly args: readonly Expression[] }

const longestExpression = 1_000
const deepestNesting = 100

const token =
  /\s*(?:(?<number>0x[\da-f]+|0b[01]+|(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?)|(?<name>[a-z_]\w*)|(?<sign>\*\*|[-+*/%^!(),])|(?<end>$))/iy

interface Token {
  readonly kind: 'number' | 'name' | 'sign' | 'end'
  readonly text: string
  readonly at: number
}

interface Reader {
  readonly tokens: readonly Token[]
  next: number
  depth: number
}

/**
 * `+ - * / % ^ **` (`^` binds tightest and to the right, `-2^2` is -4), `!`, parentheses, numbers
 * (decimal, exponent, 0x, 0b), names and calls, a unit right behind a number (`3 km`, binds tighter than
 * `*`), and `to` a unit at the end. Throws an Error that says where it stops making sense;
 * at most 1,000 characters and 100 levels.
 */
export function readExpression(text: string): Expression {
  if (text.length > longestExpression) {
    throw new Error(`longer than ${longestExpression} characters`)
  }
  const reader: Reader = { tokens: tokensOf(asciiSigns(text)), next: 0, depth: 0 }
  let expression = sum(reader)
  if (isConversion(reader)) {
    reader.next += 1
    expression = { kind: 'convert', value: expression, to: product(reader) }
  }
  const rest = peek(reader)
  if (rest.kind !== 'end') {
    const hint = rest.kind === 'name' || rest.text === '(' ? '; write * to multiply' : ''
    throw new Error(unexpected(rest) + hint)
  }
  return expression
}

function asciiSigns(text: string): string {
  return text
    .replace(/[×·]/g, '*')
    .replace(/÷/g, '/')
    .replace(/[−–]/g, '-')
    .replace(/[Δ∆] ?°/g, ' delta_deg')
    .replace(/°/g, ' deg')
    .replace(/[µμ]/g, 'u')
    .replace(/[ΩΩ]/g, 'ohm')
    .replace(/²/g, '^2')
    .replace(/³/g, '^3')
}

function tokensOf(text: string): Token[] {
  const tokens: Token[] = []
  token.lastIndex = 0
  for (;;) {
    const at = token.lastIndex
    const { number, name, sign, end } = token.exec(text)?.groups ?? {}
    if (number !== undefined) tokens.push({ kind: 'number', text: number, at })
    else if (name !== undefined) tokens.push({ kind: 'name', text: name, at })
    else if (sign !== undefined) tokens.push({ kind: 'sign', text: sign, at })
    else if (end !== undefined) return [...tokens, { kind: 'end', text: '', at }]
    else throw new Error(`unexpected ${JSON.stringify(text.slice(at).trim()[0])} at ${at + 1}`)
  }
}

function peek({ tokens, next }: Reader): Token {
  return tokens[next] ?? { kind: 'end', text: '', at: 0 }
}

/** The text of the next token when it is one of these signs, which is then taken. */
function take(reader: Reader, ...signs: readonly string[]): string | undefined {
  const { kind, text } = peek(reader)
  if (kind !== 'sign' || !signs.includes(text)) return undefined
  reader.next += 1
  return text
}

function unexpected({ kind, text, at }: Token): string {
  return kind === 'end' ? 'it ends too early' : `unexpected ${JSON.stringify(text)} at ${at + 1}`
}

function call(name: string, ...args: readonly Expression[]): Expression {
  return { kind: 'call', name, args }
}

function sum(reader: Reader): Expression {
  reader.depth += 1
  if (reader.depth > deepestNesting) throw new Error('nested too deeply')
  let left = product(reader)
  for (let sign = take(reader, '+', '-'); sign; sign = take(reader, '+', '-')) {
    left = call(sign === '+' ? 'add' : 'sub', left, product(reader))
  }
  reader.depth -= 1
  return left
}

const products: Readonly<Record<string, string>> = { '*': 'mul', '/': 'div', '%': 'mod' }

/** `5 km to mi`, `5 km as mi`, `5 km in mi`; `5 in` alone is five inches. */
function isConversion({ tokens, next }: Reader): boolean {
  return isConversionAt(tokens, next)
}

function isConversionAt(tokens: readonly Token[], at: number): boolean {
  const token = tokens[at]
  if (!isName(token)) return false
  if (token?.text === 'to' || token?.text === 'as') return true
  return token?.text === 'in' && isName(tokens[at + 1]) && !isConversionAt(tokens, at + 1)
}

function isName(token: Token | undefined): boolean {
  return token?.kind === 'name'
}

function product(reader: Reader): Expression {
  let left = signed(reader)
  for (let sign = take(reader, '*', '/', '%'); sign; sign = take(reader, '*', '/', '%')) {
    const { kind, text } = peek(reader)
    if (sign === '%' && (kind === 'end' || (kind === 'sign' && text !== '('))) {
      throw new Error(
        '"%" is the remainder and needs a number after it; write x * 15 / 100 for 15 %',
      )
    }
    left = call(products[sign] ?? '', left, signed(reader))
  }
  return left
}

function signed(reader: Reader): Expression {
  const sign = take(reader, '+', '-')
  if (!sign) return measure(reader)
  reader.depth += 1
  if (reader.depth > deepestNesting) throw new Error('nested too deeply')
  const value = signed(reader)
  reader.depth -= 1
  return sign === '-' ? call('neg', value) : value
}

function measure(reader: Reader): Expression {
  const isNumber = peek(reader).kind === 'number'
  let left = power(reader)
  while (isNumber && isName(peek(reader)) && !isConversion(reader)) {
    left = { kind: 'measure', number: left, unit: power(reader) }
  }
  return left
}

/** An exponent: `2^3 m` is eight metres. */
function signedPower(reader: Reader): Expression {
  const sign = take(reader, '+', '-')
  const value = sign ? signedPower(reader) : power(reader)
  return sign === '-' ? call('neg', value) : value
}

function power(reader: Reader): Expression {
  let base = primary(reader)
  while (take(reader, '!')) base = call('factorial', base)
  if (!take(reader, '^', '**')) return base
  reader.depth += 1
  if (reader.depth > deepestNesting) throw new Error('nested too deeply')
  const exponent = signedPower(reader)
  reader.depth -= 1
  return call('pow', base, exponent)
}

function primary(reader: Reader): Expression {
  const first = peek(reader)
  reader.next += 1
  if (first.kind === 'number') return { kind: 'number', text: first.text }
  if (first.kind === 'name') {
    if (!take(reader, '(')) return { kind: 'name', name: first.text }
    const args: Expression[] = []
    if (take(reader, ')')) return call(first.text)
    do args.push(sum(reader))
    while (take(reader, ','))
    close(reader)
    return call(first.text, ...args)
  }
  if (first.text !== '(') throw new Error(unexpected(first))
  const inner = sum(reader)
  close(reader)
  return inner
}

function close(reader: Reader): void {
  if (!take(reader, ')')) throw new Error(`${unexpected(peek(reader))}; ")" is missing`)
}
