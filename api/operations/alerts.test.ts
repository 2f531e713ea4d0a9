import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'

const root = path.join(import.meta.dirname, '../..')

/** Alerts are log messages that begin with `ALERT:`. */
const raisesAlerts = /\b(alert|alertOnce|context\.log)\(|['"`]ALERT: /
/** Sentences, unlike SQL and single words: quoted texts that begin with a capital or a value. */
const sentence = /(['"`])((?:ALERT: )?(?:\$\{[^}]+\} )?[A-Z$](?:(?!\1)[^\\\n]|\\.)* (?:(?!\1)[^\\\n]|\\.)*)\1/g

/** The longest constant part of each alert. */
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

test('the README explains every alert and its remedy', () => {
  const explained = readFileSync(path.join(root, 'README.md'), 'utf8').replaceAll('`', '').replace(/\s+/g, ' ')
  const alerts = readAlerts()
  expect(alerts.length).toBeGreaterThan(15)
  expect(alerts.filter(({ words }) => !explained.includes(words))).toEqual([])
})
