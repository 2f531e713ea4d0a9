import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { isSafe } from 'redos-detector'
import { parseSync } from 'vite'
import { expect, test } from 'vitest'

const root = path.join(import.meta.dirname, '../..')

/** Every regular expression of the files below a folder that the product runs, with its file. */
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

/** Whose time grows with the square of a text that is short: by whom it is written, or by how much of it there can be. */
const bounded = [
  String.raw`api/platform/config.ts: /\/+$/`,
  String.raw`api/entities/prepareDatabase.ts: /^Migration\d+.*\.ts$/`,
  // The embedded stack's, which answers this machine alone.
  String.raw`api/dev/mailCatcher.ts: /:\d+$/`,
  String.raw`api/dev/readProcess.ts: /^\d+ \((.*)\) (.*)$/s`,
  // Slow only where lines break, and in a header none does; an address of a list has 100 letters.
  String.raw`api/platform/http/clientAddress.ts: /%.*$/`,
  // Of what we have written ourselves: a hash, the page's template, the 18 digits behind the point, and what mails say.
  String.raw`api/accounts/identity/hashPassword.ts: /=+$/`,
  String.raw`api/pages/VisitorPages.ts: /<title>.*?<\/title>/`,
  String.raw`shared/amount.ts: /0+$/`,
  String.raw`shared/fillIn.ts: /\{(\w+)\}/g`,
]

test('no regular expression of the server takes time that grows faster than its text', () => {
  const regexes = [...regexesOf('api'), ...regexesOf('shared')]
  expect(regexes.length).toBeGreaterThan(50)
  // Without them time cannot grow.
  const repeating = regexes.filter(([, { source }]) => /[*+]|\{\d+,/.test(source))

  const slow = repeating.filter(([, regex]) => !isSafe(regex, { maxScore: 30 }).safe)

  expect(slow.map(([name]) => name).toSorted()).toEqual(bounded.toSorted())
})
