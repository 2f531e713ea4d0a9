import { execFileSync } from 'node:child_process'
import { cpSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { parseSync } from 'vite'
import { expect, onTestFinished, test } from 'vitest'

const root = path.join(import.meta.dirname, '../..')

/** The layers that each layer of the product may import besides itself (decisions/0025). */
const earlier = ['platform', 'entities', 'accounts', 'sale', 'rewards', 'withdrawals']
const allowed: Record<string, readonly string[]> = {
  ...Object.fromEntries(earlier.map((layer, index) => [layer, earlier.slice(0, index)])),
  office: earlier,
  integrity: earlier,
  pages: earlier,
  operations: [...earlier, 'office'],
  app: [...earlier, 'office', 'integrity', 'pages', 'operations'],
}
const layers = Object.keys(allowed)
/** The product does not import these. */
const tools = ['dev', 'testing', 'stress']

/** Commands with an entry point of their own. They may open the embedded database and import the schedule. */
const programs = ['api/operations/commands/runCommand.ts', 'api/integrity/printAudit.ts']

interface Import {
  from: string
  to: string
}

/** Static and dynamic imports between files of the product in `api/`. */
function readImports(): Import[] {
  const files = globSync(`api/{${layers.join()}}/**/*.ts`, { cwd: root }).filter((file) => !file.endsWith('.test.ts'))
  return files.flatMap((from) =>
    specifiersIn(from)
      .filter((specifier) => /^\.|^#api\//.test(specifier))
      .map((specifier) => ({
        from,
        to: specifier.startsWith('#') ? specifier.slice(1) : path.join(path.dirname(from), specifier),
      })),
  )
}

function specifiersIn(file: string): string[] {
  const source = readFileSync(path.join(root, file), 'utf8')
  const { staticImports, staticExports, dynamicImports } = parseSync(file, source).module
  return [
    ...staticImports.map(({ moduleRequest }) => moduleRequest.value),
    ...staticExports.flatMap(({ entries }) => entries.flatMap(({ moduleRequest }) => moduleRequest?.value ?? [])),
    ...dynamicImports.map(({ moduleRequest: { start, end } }) => source.slice(start + 1, end - 1)),
  ]
}

const layerOf = (file: string) => file.split('/')[1]!
const imports = readImports()
const between = (violates: (from: string, to: string) => boolean) =>
  imports
    .filter(({ from, to }) => !programs.includes(from) && violates(layerOf(from), layerOf(to)))
    .map(({ from, to }) => `${from} → ${to}`)

test('imports between layers go one way', () => {
  expect(imports.length).toBeGreaterThan(1_000)
  expect(between((from, to) => from !== to && !allowed[from]!.includes(to))).toEqual([])
})

test('the features of a layer have no import cycle', () => {
  const featureOf = (file: string) => file.split('/').slice(1, 3).join('/')
  const isFeature = (file: string) => file.split('/').length === 4
  const edges = new Set(
    imports
      .filter(({ from, to }) => layerOf(from) === layerOf(to) && isFeature(from) && isFeature(to))
      .filter(({ from, to }) => featureOf(from) !== featureOf(to))
      .map(({ from, to }) => `${featureOf(from)} → ${featureOf(to)}`),
  )
  // A feature without imports or importers among the rest is in no cycle.
  for (let size = -1; size !== edges.size; ) {
    size = edges.size
    const pairs = [...edges].map((edge) => edge.split(' → ') as [string, string])
    const [importing, imported] = [new Set(pairs.map(([from]) => from)), new Set(pairs.map(([, to]) => to))]
    for (const [from, to] of pairs) if (!importing.has(to) || !imported.has(from)) edges.delete(`${from} → ${to}`)
  }
  expect([...edges]).toEqual([])
})

test('a function takes only the services that it uses', () => {
  const files = new Set(imports.filter(({ to }) => to === 'api/platform/services.ts').map(({ from }) => from))
  const takesAll = (file: string) =>
    /(?<!Pick<|keyof |import type \{ )\bServices\b(?!\[)/.test(readFileSync(path.join(root, file), 'utf8'))
  expect(files.size).toBeGreaterThan(50)
  expect([...files].filter((file) => !/^api\/(app|platform\/jobs)\//.test(file) && takesAll(file))).toEqual([])
})

/** Runs the linter on these files and returns its findings as `file: rule`. */
function lint(files: Record<string, string>): string[] {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'layers-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  cpSync(path.join(root, '.oxlintrc.json'), path.join(folder, '.oxlintrc.json'))
  writeFileSync(path.join(folder, 'package.json'), JSON.stringify({ type: 'module', imports: { '#api/*': './api/*' } }))
  for (const [file, source] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(folder, file)), { recursive: true })
    writeFileSync(path.join(folder, file), source)
  }
  let output: string
  try {
    output = execFileSync(path.join(root, 'node_modules/.bin/oxlint'), ['--format', 'json', '.'], {
      cwd: folder,
      encoding: 'utf8',
    })
  } catch (error) {
    output = (error as { stdout: string }).stdout
  }
  const { diagnostics } = JSON.parse(output) as { diagnostics: { filename: string; code: string }[] }
  return diagnostics.map(({ filename, code }) => `${filename}: ${/\((.*)\)/.exec(code)![1]}`).toSorted()
}

const value = (specifier: string) => `export { one } from '${specifier}'`
const type = (specifier: string) => `import type { One } from '${specifier}'\nexport type Two = One`

test.each([
  ['a value', value],
  ['a type', type],
])('the linter refuses the import of %s from a later layer, by alias and by relative path', (_name, importOf) => {
  const planted: Record<string, string> = {}
  const expected: string[] = []
  for (const layer of layers) {
    for (const to of [...layers, ...tools].filter((to) => to !== layer)) {
      const file = `api/${layer}/feature/${to}.ts`
      planted[file] = importOf(`#api/${to}/feature/one.ts`)
      planted[file.replace('.ts', 'Relative.ts')] = importOf(`../../${to}/feature/one.ts`)
      if (!allowed[layer]!.includes(to))
        expected.push(`${file}: no-restricted-imports`, `${file.replace('.ts', 'Relative.ts')}: no-restricted-imports`)
    }
  }
  expect(lint(planted)).toEqual(expected.toSorted())
})

test('the linter keeps the page, the server and what they share apart', () => {
  const planted = {
    'pwa/ui/server.ts': value('#api/platform/one.ts'),
    'pwa/ui/serverRelative.ts': value('../../api/platform/one.ts'),
    'pwa/ui/tests.ts': value('#pwa/testing/one.ts'),
    'pwa/ui/testsRelative.ts': value('../testing/one.ts'),
    'shared/wire/node.ts': value('node:path'),
    'shared/wire/page.ts': value('#pwa/ui/one.ts'),
    'shared/wire/server.ts': value('#api/platform/one.ts'),
    'shared/wire/serverRelative.ts': value('../../api/platform/one.ts'),
  }
  expect(lint(planted)).toEqual(Object.keys(planted).map((file) => `${file}: no-restricted-imports`))
})

test.each([
  ['values', value],
  ['types', type],
])('the linter refuses an import cycle of %s', (_name, importOf) => {
  const files = { 'api/sale/supply/a.ts': importOf('#api/sale/bonus/b.ts'), 'api/sale/bonus/b.ts': importOf('../supply/a.ts') }
  expect(lint(files)).toEqual(['api/sale/bonus/b.ts: no-cycle', 'api/sale/supply/a.ts: no-cycle'])
})

test('the map in the README has one line for each folder', () => {
  const [, map = ''] = /## How it is built\n+```\n([^]*?)```/.exec(readFileSync(path.join(root, 'README.md'), 'utf8')) ?? []
  const parents: string[] = []
  const named = map
    .split('\n')
    .filter((line) => line.trim() !== '')
    .flatMap((line) => {
      const [, indent = '', name = '', purpose = ''] = /^( *)(\S+?)(?:\/ |\/$| )\s*(.*)$/.exec(line) ?? []
      expect(purpose, line).not.toBe('')
      parents.length = indent.length / 2
      parents.push(name)
      return name.includes('.') ? [] : [parents.join('/')]
    })
  const folders = ['api/*/', 'api/*/*/', 'shared/*/', 'pwa/*/']
    .flatMap((pattern) => globSync(pattern, { cwd: root }))
    .map((folder) => folder.replace(/\/$/, ''))
    .filter((folder) => globSync(`${folder}/**/*.*`, { cwd: root }).length > 0 && !/\/(dist|dev-dist)$|\/generated$/.test(folder))
  expect(named.toSorted()).toEqual(['api', 'pwa', 'shared', ...folders].toSorted())
})
