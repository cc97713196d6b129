/**
 * Commands that can only look, and the arguments with which they can do more.
 * @module
 */

/** A word of a command line; `undefined` when it is not known before it is expanded. */
type Words = readonly (string | undefined)[]

/** These write nothing whatever their arguments. */
const always = new Set(
  `: [ [[ test true false echo printf pwd cd cat head tail wc grep egrep fgrep cut tr nl rev tac comm
  paste fold expand unexpand column od md5sum sha1sum sha256sum basename dirname realpath readlink
  seq date whoami hostname uname which type ls du df stat file diff cmp jq printenv sleep expr bc base64
  strings export local declare set shift return exit break continue read let`.split(/\s+/),
)

/** These write with some arguments: the rest must be known, and pass. */
const sometimes: ReadonlyMap<string, (words: readonly string[]) => boolean> = new Map([
  ['sort', (words) => !words.some((word) => /^-[A-Za-z]*o|^--o/.test(word))],
  ['uniq', (words) => operands(words).length <= 1],
  ['tree', (words) => !words.some((word) => /^-[A-Za-z]*o|^--o/.test(word))],
  ['find', (words) => !words.some((word) => /^-(exec|ok|delete|fprint|fls)/.test(word))],
  ['rg', (words) => !words.some((word) => word.startsWith('--pre'))],
  ['yq', (words) => !words.some((word) => /^-[A-Za-z]*i|^--in-?place/.test(word))],
  ['sed', looksWithSed],
])

export function isHarmless(name: string, words: Words): boolean {
  if (always.has(name)) return true
  const rule = sometimes.get(name)
  const known = words.filter((word) => word !== undefined)
  return rule !== undefined && known.length === words.length && rule(known)
}

function operands(words: readonly string[]): string[] {
  return words.filter((word) => !word.startsWith('-'))
}

/** `5p`, `2,10p`, `$=`, `/x/p`, `s/x/y/g`: commands of one line that neither write nor run. */
const sedScript =
  /^\s*(?:(?:\d+|\$|\/(?:[^/\\\n]|\\.)*\/)(?:,(?:\d+|\$|\/(?:[^/\\\n]|\\.)*\/))?)?\s*(?:[pdq=]|s\/(?:[^/\\\n]|\\.)*\/(?:[^/\\\n]|\\.)*\/[gpiI0-9]*)\s*$/

function looksWithSed(words: readonly string[]): boolean {
  const flags = words.filter((word) => word.startsWith('-') && word !== '-')
  if (flags.some((flag) => !/^-[nEr]+$/.test(flag))) return false
  const [script = ''] = operands(words)
  return script.length < 1_000 && sedScript.test(script)
}
