/** The zero of each script whose digits a keyboard may type in place of ours: Arabic, Persian, Hindi, Bengali, full width. */
const zeros = [0x0660, 0x06f0, 0x0966, 0x09e6, 0xff10]

/** The digits of a text as 0 to 9, whatever script they were typed in, and nothing else of it. */
export function readDigits(text: string): string {
  const digits = Array.from(text, (character) => {
    if (/[0-9]/.test(character)) return character
    const code = character.codePointAt(0)!
    const zero = zeros.find((one) => code >= one && code < one + 10)
    return zero === undefined ? '' : String(code - zero)
  })
  return digits.join('')
}
