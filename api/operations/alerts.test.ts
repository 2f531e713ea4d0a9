import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'

const root = path.join(import.meta.dirname, '../..')

/** Where operators are called: an `ALERT:` in the log. */
const raisesAlerts = /\b(alert|alertOnce|context\.log)\(|['"`]ALERT: /
/** Sentences, as against SQL and single words: what stands in quotes and begins with a capital or a value. */
const sentence = /(['"`])((?:ALERT: )?(?:\$\{[^}]+\} )?[A-Z$](?:(?!\1)[^\\\n]|\\.)* (?:(?!\1)[^\\\n]|\\.)*)\1/g

/** The longest part of each alert that is the same whenever it is raised. */
function readAlerts(): { file: string; words: string }[] {
  const files = globSync('api/{integrity,rewards/ledger,sale/deposits,withdrawals/{payouts,payoutWallets}}/**/*.ts', {
    cwd: root,
  }).filter((file) => !file.endsWith('.test.ts'))
  return files.flatMap((file) => {
    const source = readFileSync(path.join(root, file), 'utf8')
    if (!raisesAlerts.test(source)) return []
    const lineOf = (index: number) => source.slice(source.lastIndexOf('\n', index) + 1, source.indexOf('\n', index))
    return [...source.matchAll(sentence)].flatMap(({ 2: text = '', index }) => {
      if (/\bnew (?!Error\(['`]ALERT)|subject:|facts:/.test(lineOf(index))) return []
      const parts = text.replace('ALERT: ', '').split(/\$\{[^}]*\}/)
      const words = parts.toSorted((a, b) => b.length - a.length)[0] ?? ''
      return [
        {
          file,
          words: words
            .replaceAll('\\`', '')
            .replaceAll('`', '')
            .replace(/^[ :,]+|[ ,]+$/g, ''),
        },
      ]
    })
  })
}

test('whoever runs the product reads of every alert what it means and what to do', () => {
  const explained = readFileSync(path.join(root, 'README.md'), 'utf8').replaceAll('`', '').replace(/\s+/g, ' ')
  const alerts = readAlerts()
  expect(alerts.length).toBeGreaterThan(15)
  expect(alerts.filter(({ words }) => !explained.includes(words))).toEqual([])
})
