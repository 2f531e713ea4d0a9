import { randomInt } from 'node:crypto'

/** Without letters and digits that are mistaken for one another. The special characters count by the rules of both sign-up and change. */
const kinds = ['ABCDEFGHJKLMNPQRSTUVWXYZ', 'abcdefghijkmnpqrstuvwxyz', '23456789', '@$!%*?&'] as const
const LENGTH = 16

/** A password that a person is given and should change: about 90 bits of chance. */
export function drawTemporaryPassword(): string {
  const all = kinds.join('')
  for (;;) {
    const password = Array.from({ length: LENGTH }, () => all[randomInt(all.length)]).join('')
    // Drawn anew rather than mended, so that no place is likelier to hold a certain kind.
    if (kinds.every((kind) => kind.split('').some((letter) => password.includes(letter)))) return password
  }
}
