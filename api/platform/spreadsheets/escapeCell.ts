/** Characters that a sheet's XML cannot contain literally, and text that looks like its escapes. */
// oxlint-disable-next-line no-control-regex -- matches control characters on purpose
const special = /[&<>\u0000-\u001f\ud800-\udfff\ufffe\uffff]|_x[0-9A-Fa-f]{4}_/
const outerSpace = /^\s|\s$|\n/

/**
 * A cell's text as its `<t>` element. Control characters are written as `_xHHHH_` as the format requires; lone surrogates become
 * �.
 */
export function escapeCell(text: string): string {
  const isPlain = !special.test(text)
  const escaped = isPlain ? text : escape(text)
  return outerSpace.test(text) ? `<t xml:space="preserve">${escaped}</t>` : `<t>${escaped}</t>`
}

function escape(text: string): string {
  return (
    text
      .toWellFormed()
      .replace(/_(?=x[0-9A-Fa-f]{4}_)/g, '_x005F_')
      .replace(/&/g, '&amp;')
      .replace(/</g, '&lt;')
      .replace(/>/g, '&gt;')
      // oxlint-disable-next-line no-control-regex -- matches control characters on purpose
      .replace(/[\u0000-\u0008\u000b-\u001f\ufffe\uffff]/g, asEscape)
  )
}

const asEscape = (character: string): string => `_x${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}_`
