/** The zero of each script whose digits keyboards may produce: Arabic, Persian, Hindi, Bengali, full width. */
const zeros = [0x0660, 0x06f0, 0x0966, 0x09e6, 0xff10]

/** The digits of a text as 0 to 9 from any of these scripts; all other characters are dropped. */
export function readDigits(text: string): string {
  const digits = Array.from(text, (character) => {
    if (/[0-9]/.test(character)) return character
    const code = character.codePointAt(0)!
    const zero = zeros.find((one) => code >= one && code < one + 10)
    return zero === undefined ? '' : String(code - zero)
  })
  return digits.join('')
}
