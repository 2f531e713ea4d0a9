import { readdirSync, readFileSync } from 'node:fs'
import { parseSync } from 'vite'

/** A displayed text with its location. */
interface UsedText {
  text: string
  place: string
}

interface ReadTexts {
  used: UsedText[]
  /** Violations, each as "location: problem". */
  faults: string[]
  /** Displayed texts that are not wrapped in a translation call. */
  bare: string[]
}

interface Node {
  type: string
  start: number
  [key: string]: unknown
}

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null && 'type' in value

/** Translation calls and the positions of their text arguments. */
const wrappers: Record<string, readonly number[]> = { t: [0], msg: [0], plural: [1, 2] }
/** Calls that depend on the current language. */
const languageDependentCalls = new Set([
  't',
  'plural',
  'translate',
  'translateServerText',
  'formatCount',
  'formatDate',
  'formatDateTime',
])

/** Properties and attributes whose value users read or hear. */
const shownNames = new Set(
  `alt title label placeholder description caption hint heading lead note text what badge figure valueText pendingLabel
  confirmLabel content error message aria-label aria-valuetext aria-description aria-roledescription`.split(/\s+/),
)
/** These only as attributes: as properties they are names of states. */
const shownOfParts = new Set(['done', 'failed', 'copied'])
const neverShown = new Set(['className', 'class', 'd', 'viewBox', 'transform', 'key', 'id', 'to', 'href', 'src', 'type', 'name'])
/** The English text of a label that is Korean in both languages, shown beside it on the English page. */
const englishBeside = 'en'

/** Finds the texts in the page's sources below a folder. `isBareAllowed` exempts texts from wrapping. */
export function readTexts(folder: string, isBareAllowed: (text: string) => boolean): ReadTexts {
  const found: ReadTexts = { used: [], faults: [], bare: [] }
  for (const file of sourcesIn(folder)) {
    const source = readFileSync(file, 'utf8')
    const { program, errors } = parseSync(file, source)
    if (errors.length > 0) throw new Error(`${file}: ${errors[0]!.message}`)
    walk(program as unknown as Node, { file, source, found, isBareAllowed, depth: 0, isShown: false })
  }
  return found
}

export const sourcesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name) && !/\.(test|e2e)\.tsx?$/.test(entry.name))
    .map((entry) => `${entry.parentPath}/${entry.name}`)
    .filter((file) => !/\/(dist|node_modules|testing|stress|e2e|ko|dev|migrations)\//.test(file))
    .toSorted()

interface Context {
  file: string
  source: string
  found: ReadTexts
  isBareAllowed: (text: string) => boolean
  /** Depth of nested functions. */
  depth: number
  /** Whether the value of an expression is displayed as it is. */
  isShown: boolean
}

function walk(node: Node, context: Context): void {
  const { found, depth } = context
  const place = `${context.file}:${context.source.slice(0, node.start).split('\n').length}`
  const note = (text: string, isShown: boolean) => {
    const words = text.replace(/\s+/g, ' ').trim()
    if (!/\p{L}/u.test(words) || context.isBareAllowed(words)) return
    if (isShown || looksLikeSentence(words)) found.bare.push(`${place}: ${words}`)
  }

  switch (node.type) {
    case 'JSXText':
      return note(node.value as string, true)
    case 'Literal':
      if (typeof node.value === 'string') note(node.value, context.isShown)
      return
    case 'TemplateLiteral': {
      const quasis = node.quasis as { value: { cooked: string } }[]
      note(quasis.map(({ value }) => value.cooked).join(' … '), context.isShown)
      return each(node.expressions, context)
    }
    case 'TSTypeAnnotation':
    case 'TSTypeAliasDeclaration':
    case 'TSInterfaceDeclaration':
    case 'TSTypeParameterInstantiation':
    case 'ImportDeclaration':
    case 'ImportExpression':
    case 'ThrowStatement':
      return
    case 'JSXElement': {
      const opening = node.openingElement as Node
      if ((opening.name as Node).name === 'T') {
        for (const attribute of opening.attributes as Node[]) {
          if (attribute.type !== 'JSXAttribute') continue
          if ((attribute.name as Node).name === 'text') take(valueOf(attribute), `<T>`)
          else if (attribute.value) walk(attribute.value as Node, { ...context, isShown: false })
        }
        return each(node.children, context)
      }
      each(opening.attributes, { ...context, isShown: false })
      return each(node.children, { ...context, isShown: true })
    }
    case 'JSXFragment':
      return each(node.children, { ...context, isShown: true })
    case 'JSXAttribute': {
      const { name, namespace } = node.name as { name: string; namespace?: unknown }
      if (namespace || !node.value || name === englishBeside) return
      return walk(node.value as Node, {
        ...context,
        isShown: shownNames.has(name) || shownOfParts.has(name),
        ...(neverShown.has(name) && { isBareAllowed: () => true }),
      })
    }
    case 'JSXExpressionContainer':
      return walk(node.expression as Node, context)
    case 'ConditionalExpression':
      walk(node.test as Node, { ...context, isShown: false })
      return each([node.consequent, node.alternate], context)
    case 'LogicalExpression':
      walk(node.left as Node, { ...context, isShown: node.operator !== '&&' && context.isShown })
      return walk(node.right as Node, context)
    case 'BinaryExpression':
      return each([node.left, node.right], { ...context, isShown: false })
    case 'Property': {
      const key = node.key as Node
      if (key.name === englishBeside) return
      return walk(node.value as Node, { ...context, isShown: shownNames.has(String(key.name ?? key.value)) })
    }
    case 'CallExpression': {
      const callee = node.callee as Node
      const name = callee.type === 'Identifier' ? String(callee.name) : ''
      const args = node.arguments as Node[]
      if (depth === 0 && languageDependentCalls.has(name))
        found.faults.push(`${place}: ${name}() at the top of a module freezes the language`)
      const texts = wrappers[name]
      if (texts) {
        for (const at of texts) take(args[at], `${name}()`)
        return each(
          args.filter((_, at) => !texts.includes(at)),
          { ...context, isShown: false },
        )
      }
      if (name === 'errorText') return each(args, { ...context, isShown: true })
      // Console output and error details are for developers.
      if (callee.type === 'Super' || (callee.type === 'MemberExpression' && (callee.object as Node).name === 'console')) return
      break
    }
    case 'NewExpression':
      if (String((node.callee as Node).name).endsWith('Error')) return
      break
    case 'ArrowFunctionExpression':
    case 'FunctionExpression':
    case 'FunctionDeclaration':
      return children(node, { ...context, depth: depth + 1, isShown: false })
    default:
  }
  children(node, { ...context, isShown: false })

  /** A catalogue text: a literal, or a choice between literals. */
  function take(argument: Node | undefined, by: string): void {
    if (argument?.type === 'Literal' && typeof argument.value === 'string') {
      found.used.push({ text: argument.value, place })
    } else if (argument?.type === 'TemplateLiteral' && (argument.expressions as Node[]).length === 0) {
      found.used.push({ text: (argument.quasis as { value: { cooked: string } }[])[0]!.value.cooked, place })
    } else if (argument?.type === 'ConditionalExpression') {
      walk(argument.test as Node, { ...context, isShown: false })
      take(argument.consequent as Node, by)
      take(argument.alternate as Node, by)
    } else {
      found.faults.push(`${place}: ${by} takes a literal`)
    }
  }
}

function each(nodes: unknown, context: Context): void {
  for (const node of nodes as unknown[]) if (isNode(node)) walk(node, context)
}

function children(node: Node, context: Context): void {
  for (const value of Object.values(node)) {
    if (Array.isArray(value)) each(value, context)
    else if (isNode(value)) walk(value, context)
  }
}

function valueOf(attribute: Node): Node | undefined {
  const value = attribute.value as Node | undefined
  return value?.type === 'JSXExpressionContainer' ? (value.expression as Node) : value
}

/** For a string of unknown use: it has a capital, lower case letters, and a second word. */
const looksLikeSentence = (text: string): boolean => /^\p{Lu}[\p{L}’']*[,:]? \p{L}/u.test(text)

/**
 * Texts that the server and shared/ may send: `all` has each literal and each template with `{}` for its values; `said` has those
 * that become the message of a refusal or a validation.
 */
export function readServerTexts(folders: readonly string[]): { said: UsedText[]; all: ReadonlySet<string> } {
  const said: UsedText[] = []
  const all = new Set<string>()
  for (const file of folders.flatMap(sourcesIn).filter((one) => !toOperators.test(one))) {
    const source = readFileSync(file, 'utf8')
    const isShared = file.startsWith('shared/') && !untranslated.test(file)
    visit(parseSync(file, source).program as unknown as Node, [], (node, parents) => {
      const text = textOf(node)
      if (text === undefined) return
      all.add(text)
      if (!text.includes(' ') || !/\p{Ll}/u.test(text) || !(isRefusalText(parents) || (isShared && looksLikeSentence(text))))
        return
      said.push({ text, place: `${file}:${source.slice(0, node.start).split('\n').length}` })
    })
  }
  return { said, all }
}

/** Placeholders of any name. */
export const withoutNames = (text: string): string => text.replace(/\{\w+\}/g, '{}')

/** Printed in a terminal, on the demo bar or in the API's description, which are English. */
const toOperators = /^api\/platform\/(config|variables)\.ts|\/(demo|callTexts)\.ts$/

/**
 * Messages that wallets show unchanged and the server compares byte for byte, and reasons for which the register's bytes are refused, which are
 * part of the evidence.
 */
const untranslated = /walletProofMessage|withdrawalMessage|^shared\/register\//

function textOf(node: Node): string | undefined {
  if (node.type === 'Literal' && typeof node.value === 'string') return node.value
  if (node.type === 'TemplateLiteral')
    return (node.quasis as { value: { cooked: string } }[]).map(({ value }) => value.cooked).join('{}')
  return undefined
}

/** Whether a text is an argument of a refusal or of a zod check. `parents`: the innermost last. */
function isRefusalText(parents: readonly Node[]): boolean {
  const parent = parents.findLast(({ type }) => type !== 'ConditionalExpression')
  // A health check's finding and advice.
  if (parent?.type === 'Property' && healthFacts.has(String((parent.key as Node).name)))
    return parents.some((one) => one.type === 'CallExpression' && (one.callee as Node).name === 'check')
  if (parent?.type === 'NewExpression') return (parent.callee as Node).name === 'DomainError'
  if (parent?.type !== 'CallExpression') return false
  const callee = parent.callee as Node
  if (callee.type === 'Super') return parents.some((one) => (one.superClass as Node | undefined)?.name === 'DomainError')
  return messageCalls.has(String(callee.type === 'MemberExpression' ? (callee.property as Node).name : callee.name))
}

const healthFacts = new Set(['value', 'advice'])

const messageCalls = new Set(
  `refusal transactionUnsuitable refundUnsuitable transferUnsuitable amountInvalid messageInvalid invalid taken min max regex email
  lowerCaseHex`.split(/\s+/),
)

function visit(node: Node, parents: Node[], see: (node: Node, parents: readonly Node[]) => void): void {
  see(node, parents)
  parents.push(node)
  for (const key in node) {
    const value = node[key]
    if (Array.isArray(value)) {
      for (const child of value) if (isNode(child)) visit(child, parents, see)
    } else if (isNode(value)) visit(value, parents, see)
  }
  parents.pop()
}
