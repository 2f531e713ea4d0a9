import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { isSafe } from 'redos-detector'
import { parseSync } from 'vite'
import { expect, test } from 'vitest'

const root = path.join(import.meta.dirname, '../..')

/** Returns every regular expression in the product's files below a folder, with its file. */
function regexesOf(folder: string): [name: string, regex: RegExp][] {
  const files = readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
  return files
    .filter((file) => file.endsWith('.ts') && !/\.test\.ts$|(^|\/)(testing|stress|migrations|generated)\//.test(file))
    .flatMap((file) => {
      const name = path.join(folder, file)
      const { program } = parseSync(file, readFileSync(path.join(root, name), 'utf8'))
      return literalsIn(program).map((regex): [string, RegExp] => [`${name}: ${regex}`, regex])
    })
}

function literalsIn(node: unknown): RegExp[] {
  if (typeof node !== 'object' || node === null) return []
  if ('regex' in node) {
    const { pattern, flags } = node.regex as { pattern: string; flags: string }
    return [new RegExp(pattern, flags)]
  }
  return Object.values(node).flatMap(literalsIn)
}

/** Expressions with quadratic time that are safe because their text is short or not user input. */
const allowed = [
  String.raw`api/platform/variables.ts: /\/+$/`,
  String.raw`api/entities/prepareDatabase.ts: /^Migration\d+.*\.ts$/`,
  // The embedded stack accepts connections only from this machine.
  String.raw`api/dev/mailCatcher.ts: /:\d+$/`,
  String.raw`api/dev/readProcess.ts: /^\d+ \((.*)\) (.*)$/s`,
  // Slow only with line breaks, which a header cannot contain. An address of the list has at most 100 characters.
  String.raw`api/platform/http/clientAddress.ts: /%.*$/`,
  // At most three digits at each of its three repetitions, so a start costs a constant.
  String.raw`shared/announcementRules.ts: /\d{1,3}\.\d{1,3}\.\d{1,3}\.\d/`,
  // No user input: a hash, the page template, the 18 decimals of an amount, the texts of mails.
  String.raw`api/accounts/identity/hashPassword.ts: /=+$/`,
  String.raw`api/pages/VisitorPages.ts: /<title>.*?<\/title>/`,
  String.raw`shared/amount.ts: /0+$/`,
  String.raw`shared/fillIn.ts: /\{(\w+)\}/g`,
]

test('every regular expression of the server takes linear time', () => {
  const regexes = [...regexesOf('api'), ...regexesOf('shared')]
  expect(regexes.length).toBeGreaterThan(50)
  // Only expressions with repetition can be slow.
  const repeating = regexes.filter(([, { source }]) => /[*+]|\{\d+,/.test(source))

  const slow = repeating.filter(([, regex]) => !isSafe(regex, { maxScore: 30 }).safe)

  expect(slow.map(([name]) => name).toSorted()).toEqual(allowed.toSorted())
})
