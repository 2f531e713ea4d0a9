import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { hasTool, findTool } from '#api/testing/findTool.ts'
import { createMetrics } from './createMetrics.ts'
import { measureNames } from './readMeasures.ts'

const folder = path.join(import.meta.dirname, 'deploy/monitoring')
const rulesFile = path.join(folder, 'xcr-rules.yml')

interface Panel {
  id: number
  title: string
  gridPos: { x: number; y: number; w: number; h: number }
  targets?: { expr: string }[]
}

const { panels } = JSON.parse(readFileSync(path.join(folder, 'xcr-dashboard.json'), 'utf8')) as { panels: Panel[] }
const shown = panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr))
const rules = readFileSync(rulesFile, 'utf8')
const alerts = [...rules.matchAll(/^ +expr: (.+)$/gm)].map(([, expr]) => expr!)

/** The metrics that an expression names. Suffixes of histograms are left out. */
const metricsOf = (expr: string): string[] =>
  [...expr.matchAll(/\b(?:xcr|http|db|process|nodejs)_\w+/g)].map(([name]) => name.replace(/_(bucket|count|sum)$/, ''))

async function readNames(): Promise<Set<string>> {
  const { text } = await createMetrics({ roles: ['web'], onError: () => {} }).write()
  return new Set([...[...text.matchAll(/^# HELP (\w+)/gm)].map(([, name]) => name!), ...measureNames])
}

test('every metric of the dashboard and the alerts exists', async () => {
  const names = await readNames()
  const named = [...shown, ...alerts].flatMap(metricsOf)
  expect(named.length).toBeGreaterThan(40)
  expect(named.filter((name) => !names.has(name))).toEqual([])
})

test('every metric of our own is on the dashboard', async () => {
  const own = [...(await readNames())].filter((name) => /^(xcr|http|db)_/.test(name))
  const onDashboard = new Set(shown.flatMap(metricsOf))
  expect(own.filter((name) => !onDashboard.has(name))).toEqual([])
})

test('no two panels share an id or a place', () => {
  expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length)
  for (const [index, { title, gridPos: a }] of panels.entries())
    for (const { title: other, gridPos: b } of panels.slice(index + 1)) {
      const isApart = a.x + a.w <= b.x || b.x + b.w <= a.x || a.y + a.h <= b.y || b.y + b.h <= a.y
      expect([title, other, isApart]).toEqual([title, other, true])
    }
})

test('every alert says what happened, what to do, and how urgent it is', () => {
  const blocks = rules.split(/^ {6}- alert: /m).slice(1)
  expect(blocks).toHaveLength(alerts.length)
  for (const block of blocks) {
    expect(block).toMatch(/severity: (page|ticket)/)
    expect(block).toMatch(/^ +summary: \S/m)
    expect(block).toMatch(/^ +action: \S/m)
  }
})

test.runIf(hasTool('promtool'))('promtool accepts the rules', () => {
  expect(execFileSync(findTool('promtool'), ['check', 'rules', rulesFile], { encoding: 'utf8' })).toContain('SUCCESS')
})
