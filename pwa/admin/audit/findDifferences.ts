import { overridden } from '#shared/objections.ts'
import { textOfObjection } from '#shared/objectionTexts.ts'
import { t, translateServerText } from '#pwa/i18n/t.ts'
import { formatSecond } from '../zone/officeZone.ts'

export interface Difference {
  /** Path of the value: "allowedIPs", or "address.city" for a nested one. Empty if the whole is a single value. */
  path: string
  /** Undefined: there was no value before. */
  before: string | undefined
  after: string | undefined
}

/** The values that an action changed, as text. Unchanged values are left out; what stood only before, with which it decided, comes last. */
export function findDifferences(before: unknown, after: unknown): Difference[] {
  const [old, now] = [flatten(before), flatten(after)]
  const gone = [...old.keys()].filter((path) => !now.has(path))
  return [...new Set([...old.keys(), ...now.keys()].filter((path) => now.has(path))), ...gone]
    .map((path) => ({ path, before: old.get(path), after: now.get(path) }))
    .filter(({ before: was, after: is }) => was !== is)
}

function flatten(value: unknown, path = '', found = new Map<string, string>()): Map<string, string> {
  if (value === null || value === undefined) {
    // A nested empty value is shown as a value: "address: none".
    if (path) found.set(path, t('none'))
    return found
  }
  if (Array.isArray(value)) return found.set(path, value.length === 0 ? t('none') : describeAll(value))
  if (typeof value !== 'object') return found.set(path, describe(value))
  for (const [key, inner] of Object.entries(value)) flatten(inner, path ? `${path}.${key}` : key, found)
  return found
}

/** Objections that a proposal overrides are sentences. */
function describeAll(values: unknown[]): string {
  const objections = overridden.safeParse(values).data
  if (objections) return objections.map((one) => translateServerText(textOfObjection(one))).join(' ')
  return values.map(describe).join(', ')
}

const isoInstant = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/

function describe(value: unknown): string {
  if (typeof value === 'boolean') return t(value ? 'yes' : 'no')
  if (typeof value !== 'string') return JSON.stringify(value)
  if (isoInstant.test(value)) return formatSecond(new Date(value))
  return value === '' ? t('empty') : value
}
