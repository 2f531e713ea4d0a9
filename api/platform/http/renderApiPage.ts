import { escapeHtml } from '../escapeHtml.ts'

/** The parts of JSON Schema that the API's description uses. */
interface Schema {
  type?: string
  properties?: Record<string, Schema>
  required?: string[]
  additionalProperties?: Schema | boolean
  items?: Schema
  anyOf?: Schema[]
  enum?: unknown[]
  const?: unknown
  format?: string
  pattern?: string
  minLength?: number
  maxLength?: number
  minimum?: number
  maximum?: number
}

interface Operation {
  operationId: string
  summary: string
  description: string
  security: Record<string, unknown>[]
  parameters: { name: string; in: string; required?: boolean; schema: Schema }[]
  requestBody?: { content: Record<string, { schema: Schema }> }
  responses: Record<string, { description: string; content?: Record<string, { schema?: Schema }> }>
  'x-rate-limit'?: string
  'x-codes'?: string[]
}

interface Described {
  info: { title: string; version: string; description: string }
  paths: Record<string, Record<string, Operation>>
}

const style = `
:root { color-scheme: light dark; --line: light-dark(#d9dde5, #2b303b); --soft: light-dark(#5b6473, #97a1b3) }
body { margin: 0 auto; padding: 24px 16px 64px; max-width: 960px; font: 16px/1.5 system-ui, sans-serif;
  color: light-dark(#12161d, #e8ecf3); background: light-dark(#fff, #0b0d12); overflow-wrap: anywhere }
h2 { margin: 40px 0 8px; font-size: 20px } h3 { margin: 16px 0 4px; font-size: 14px; color: var(--soft) }
details { border-top: 1px solid var(--line) } summary { padding: 10px 0; min-height: 24px; cursor: pointer }
summary span { color: var(--soft) } code, pre { font: 14px/1.5 ui-monospace, monospace } b { font-weight: 600 }
pre { margin: 0; padding: 12px; border: 1px solid var(--line); border-radius: 8px; overflow: auto; white-space: pre-wrap }
details > div { padding: 0 0 20px } ul { margin: 0; padding-left: 20px } p { margin: 8px 0 }`

/** The API's description as a page for people, without scripts. Its style is inline: `allowInline` has to admit it. */
export function renderApiPage(document: object): { html: string; style: string } {
  const { info, paths } = document as Described
  const calls = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  )
  const groups = Map.groupBy(calls, ({ operation }) => accessOf(operation))
  const html = `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>API · ${escapeHtml(info.title)}</title><style>${style}</style></head><body>
<h1>API of ${escapeHtml(info.title)}</h1>
<p>Version ${escapeHtml(info.version)}. For programs: <a href="/api/openapi.json">/api/openapi.json</a>.</p>
${info.description
  .split('\n\n')
  .map((text) => `<p>${markUp(text)}</p>`)
  .join('\n')}
${[...groups].map(([access, all]) => `<h2>${access}</h2>${all.map(renderCall).join('')}`).join('\n')}
</body></html>`
  return { html, style }
}

function accessOf({ security }: Operation): string {
  const [realm] = Object.keys(security[0] ?? {})
  if (realm === undefined) return 'Open to everybody'
  return realm === 'user' ? 'For accounts' : 'For administrators'
}

function renderCall({ path, method, operation }: { path: string; method: string; operation: Operation }): string {
  const { operationId, summary, description, parameters, requestBody, responses } = operation
  const body = requestBody?.content['application/json']?.schema
  const parts = [
    ['Access', `<p>${accessOf(operation)}.</p>`],
    ['Rate limit', `<p>${operation['x-rate-limit'] ? `<code>${escapeHtml(operation['x-rate-limit'])}</code>` : 'None.'}</p>`],
    ['Parameters', renderList(parameters.map((one) => `<code>${escapeHtml(writeParameter(one))}</code>`))],
    ['Body', body ? renderSchema(body) : ''],
    ...Object.entries(responses)
      .filter(([status]) => status.startsWith('2'))
      .map(([status, answer]) => [`Answer ${status}`, renderAnswer(answer)]),
    ['Errors', renderErrors(operation)],
  ]
  return `<details id="${escapeHtml(operationId)}"><summary><b>${method}</b> <code>${escapeHtml(path)}</code> <span>${escapeHtml(summary)}</span></summary>
<div><p>${markUp(description)}</p>${parts.flatMap(([name, text]) => (text ? [`<h3>${name}</h3>${text}`] : [])).join('')}</div></details>`
}

const writeParameter = ({ name, in: place, required = false, schema }: Operation['parameters'][number]): string =>
  `${name}${required ? '' : '?'}: ${writeSchema(schema)} (${place})`

function renderAnswer({ description, content }: Operation['responses'][string]): string {
  const schema = content?.['application/json']?.schema
  return schema ? renderSchema(schema) : `<p>${escapeHtml(description)}</p>`
}

function renderErrors({ responses, 'x-codes': codes = [] }: Operation): string {
  const refusals = Object.entries(responses).filter(([status]) => !status.startsWith('2'))
  return renderList([
    ...refusals.map(([status, { description }]) => `<b>${status}</b> ${markUp(description)}`),
    ...(codes.length > 0 ? [`Codes: ${codes.map((code) => `<code>${escapeHtml(code)}</code>`).join(', ')}`] : []),
  ])
}

const renderList = (items: string[]): string =>
  items.length > 0 ? `<ul>${items.map((item) => `<li>${item}</li>`).join('')}</ul>` : ''
const renderSchema = (schema: Schema): string => `<pre>${escapeHtml(writeSchema(schema))}</pre>`

/** A schema in the manner of TypeScript: `{ amount: string, limit?: string | null }`. */
function writeSchema(schema: Schema, indent = ''): string {
  if (schema.anyOf) return [...new Set(schema.anyOf.map((one) => writeSchema(one, indent)))].join(' | ')
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' | ')
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (schema.type === 'array') return `[${writeSchema(schema.items ?? {}, indent)}]`
  if (schema.type !== 'object') return `${schema.type ?? 'any'}${writeLimits(schema)}`
  const { properties = {}, required = [], additionalProperties } = schema
  const deeper = `${indent}  `
  const lines = Object.entries(properties).map(
    ([name, one]) => `${deeper}${name}${required.includes(name) ? '' : '?'}: ${writeSchema(one, deeper)}`,
  )
  if (typeof additionalProperties === 'object') lines.push(`${deeper}[name]: ${writeSchema(additionalProperties, deeper)}`)
  return lines.length > 0 ? `{\n${lines.join('\n')}\n${indent}}` : '{}'
}

/** The largest safe integer bounds every integer, so it says nothing. */
function writeLimits({ format, minLength, maxLength, minimum, maximum }: Schema): string {
  const isSaid = (limit: number | undefined): limit is number => limit !== undefined && Math.abs(limit) < Number.MAX_SAFE_INTEGER
  const limits = [
    ...(format ? [format] : []),
    ...(isSaid(minLength) || isSaid(maxLength) ? [`${minLength ?? 0} to ${maxLength ?? 'any number of'} characters`] : []),
    ...(isSaid(minimum) ? [`at least ${minimum}`] : []),
    ...(isSaid(maximum) ? [`at most ${maximum}`] : []),
  ]
  return limits.length > 0 ? ` (${limits.join(', ')})` : ''
}

/** Bold and code, as in Markdown. */
const markUp = (text: string): string => wrap(wrap(escapeHtml(text), { mark: '**', tag: 'b' }), { mark: '`', tag: 'code' })

const wrap = (text: string, { mark, tag }: { mark: string; tag: string }): string =>
  text
    .split(mark)
    .map((part, index) => (index % 2 === 0 ? part : `<${tag}>${part}</${tag}>`))
    .join('')
