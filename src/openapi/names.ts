/**
 * Names of tools and arguments, made of names that anything may stand in.
 * @module
 */
import { longestName } from '../api/read-definition.ts'
import { argumentPattern } from '../api/read-parameters.ts'

/**
 * Makes names that are all different, of lower case letters, digits and `_`, at most 60 long. `otherwise`
 * counts where the first has no letter of theirs.
 */
export function createNames(prefix: string): (id: string, otherwise: string) => string {
  const taken = new Set<string>()
  return (id, otherwise) => {
    const words = [snake(prefix), snake(id) || snake(otherwise)].filter(Boolean).join('_')
    const whole = /^[a-z]/.test(words) ? words : `op_${words}`
    return fresh(whole, longestName, taken)
  }
}

/** `listPets`, `pets/list-all` and `Pets.listV2` in the letters of a tool's name. */
function snake(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1_$2')
    .replace(/[^A-Za-z0-9]+/g, '_')
    .replace(/^_+|_+$/g, '')
    .toLowerCase()
}

/** What an operation without an id is called. */
export function pathName(method: string, path: string): string {
  return `${method.toLowerCase()} ${path.replace(/\{([^{}]*)\}/g, 'by $1')}`
}

/** Gives arguments names that every provider takes, one a parameter of the API. */
export function createArguments(): (name: string, place: string) => string {
  const taken = new Set<string>()
  return (name, place) => {
    const clean = argumentPattern.test(name)
      ? name
      : name.replace(/[^A-Za-z0-9_.-]+/g, '_').replace(/^_+|_+$/g, '') || place
    const free = taken.has(clean) ? `${place}_${clean}` : clean
    return fresh(free, 64, taken)
  }
}

function fresh(whole: string, longest: number, taken: Set<string>): string {
  let name = whole.slice(0, longest)
  for (let count = 2; taken.has(name); count += 1) {
    const ending = `_${count}`
    name = whole.slice(0, longest - ending.length) + ending
  }
  taken.add(name)
  return name
}
