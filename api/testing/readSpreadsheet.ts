import { JSDOM } from 'jsdom'
import { inflateRawSync } from 'node:zlib'

export type ReadCell = string | number | Date | null

/** Reads the first sheet of an .xlsx by the letter of its formats, and with nothing of the library that writes ours. */
export function readSpreadsheet(file: Uint8Array): ReadCell[][] {
  const parts = unzip(Buffer.from(file))
  const parse = (name: string) => new new JSDOM().window.DOMParser().parseFromString(parts.get(name)!.toString(), 'text/xml')
  const styles = parse('xl/styles.xml')
  const dateFormats = [...styles.querySelectorAll('numFmts > numFmt')]
    .filter((format) => format.getAttribute('formatCode')!.includes('yy'))
    .map((format) => format.getAttribute('numFmtId'))
  const isDate = [...styles.querySelectorAll('cellXfs > xf')].map((xf) => dateFormats.includes(xf.getAttribute('numFmtId')))

  const rows: ReadCell[][] = []
  for (const cell of parse('xl/worksheets/sheet1.xml').querySelectorAll('c')) {
    const [, letters = '', number = ''] = /^([A-Z]+)(\d+)$/.exec(cell.getAttribute('r')!) ?? []
    const column = letters.split('').reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0) - 1
    const row = (rows[Number(number) - 1] ??= [])
    while (row.length < column) row.push(null)
    row[column] = readCell(cell, isDate)
  }
  return rows
}

function readCell(cell: Element, isDate: boolean[]): ReadCell {
  if (cell.querySelector('f')) throw new Error('There is a formula in this file.')
  const type = cell.getAttribute('t')
  if (type === 'inlineStr')
    return cell
      .querySelector('is > t')!
      .textContent!.replace(/_x([0-9A-F]{4})_/g, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)))
  const value = cell.querySelector('v')?.textContent
  if (value == null) return null
  if (type !== null) throw new Error(`A cell of the type ${type} is not expected.`)
  // Days since the end of 1899, which counts a 29 February 1900.
  if (isDate[Number(cell.getAttribute('s') ?? 0)]) return new Date(Math.round((Number(value) - 25_569) * 86_400_000))
  return Number(value)
}

/** The files of an archive, by the directory at its end. */
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
