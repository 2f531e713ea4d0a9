import { inflateRawSync } from 'node:zlib'

export type ReadCell = string | number | Date | null

/** Reads a sheet of an .xlsx file, the first by default. It does not use the library that writes the exports, to check it independently. */
export function readSpreadsheet(file: Uint8Array, { sheet = 1 } = {}): ReadCell[][] {
  const parts = unzip(Buffer.from(file))
  const parse = (name: string) => parseXml(parts.get(name)!.toString())
  const styles = parse('xl/styles.xml')
  const dateFormats = all(styles, 'numFmt')
    .filter(({ attributes }) => attributes.formatCode!.includes('yy'))
    .map(({ attributes }) => attributes.numFmtId)
  const isDate = all(all(styles, 'cellXfs')[0]!, 'xf').map(({ attributes }) => dateFormats.includes(attributes.numFmtId))

  const rows: ReadCell[][] = []
  for (const cell of all(parse(`xl/worksheets/sheet${sheet}.xml`), 'c')) {
    const [, letters = '', number = ''] = /^([A-Z]+)(\d+)$/.exec(cell.attributes.r!) ?? []
    const column = letters.split('').reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0) - 1
    const row = (rows[Number(number) - 1] ??= [])
    while (row.length < column) row.push(null)
    row[column] = readCell(cell, isDate)
  }
  return rows
}

function readCell(cell: XmlElement, isDate: boolean[]): ReadCell {
  const { t: type, s: style = '0' } = cell.attributes
  if (all(cell, 'f').length > 0) throw new Error('The file contains a formula.')
  if (type === 'inlineStr')
    return all(cell, 't')[0]!.text.replace(/_x([0-9A-F]{4})_/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
  if (type !== undefined) throw new Error(`Unexpected cell type ${type}.`)
  const value = all(cell, 'v')[0]?.text
  if (value === undefined) return null
  // Days since 1899-12-30, because Excel counts a 29 February 1900 that did not exist.
  return isDate[Number(style)] ? new Date(Math.round((Number(value) - 25_569) * 86_400_000)) : Number(value)
}

interface XmlElement {
  name: string
  attributes: Record<string, string>
  text: string
  children: XmlElement[]
}

const all = ({ children }: XmlElement, name: string): XmlElement[] =>
  children.flatMap((child) => [...(child.name === name ? [child] : []), ...all(child, name)])

const characters: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }
const decode = (text: string) => text.replace(/&(\w+);/g, (_, name: string) => characters[name]!)

/** @throws if an element is not closed. */
function parseXml(text: string): XmlElement {
  const root: XmlElement = { name: '', attributes: {}, text: '', children: [] }
  const open = [root]
  for (const [, , end, name = '', attributes = '', empty, content = ''] of text.matchAll(
    /(^<\?[^>]*\?>)?<(\/?)([\w:]+)([^<>]*?)(\/?)>([^<]*)/g,
  )) {
    if (end) {
      if (open.pop()!.name !== name) throw new Error(`</${name}> has no start tag.`)
      continue
    }
    const pairs = [...attributes.matchAll(/([\w:]+)="([^"]*)"/g)].map(([, key, value]) => [key!, decode(value!)])
    const element: XmlElement = {
      name,
      attributes: Object.fromEntries(pairs) as Record<string, string>,
      text: decode(content),
      children: [],
    }
    open.at(-1)!.children.push(element)
    if (!empty) open.push(element)
  }
  if (open.length > 1) throw new Error(`<${open.at(-1)!.name}> is not closed.`)
  return root
}

/** Reads the files of an archive from the directory at its end. */
function unzip(archive: Buffer): Map<string, Buffer> {
  const end = archive.lastIndexOf(Buffer.from('PK\x05\x06'))
  const files = new Map<string, Buffer>()
  let at = archive.readUInt32LE(end + 16)
  for (let left = archive.readUInt16LE(end + 10); left > 0; left -= 1) {
    const [method, packed, size] = [archive.readUInt16LE(at + 10), archive.readUInt32LE(at + 20), archive.readUInt32LE(at + 24)]
    const [nameLength, extra, comment] = [28, 30, 32].map((place) => archive.readUInt16LE(at + place)) as [number, number, number]
    const name = archive.toString('utf8', at + 46, at + 46 + nameLength)
    const local = archive.readUInt32LE(at + 42)
    const start = local + 30 + archive.readUInt16LE(local + 26) + archive.readUInt16LE(local + 28)
    const bytes = archive.subarray(start, start + packed)
    const content = method === 8 ? inflateRawSync(bytes) : bytes
    if (content.length !== size) throw new Error(`${name} has ${content.length} bytes, not ${size}.`)
    files.set(name, content)
    at += 46 + nameLength + extra + comment
  }
  return files
}
