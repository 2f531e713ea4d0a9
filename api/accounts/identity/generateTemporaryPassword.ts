import { randomInt } from 'node:crypto'

/** Without ambiguous letters and digits. The special characters satisfy the rules of both sign-up and password change. */
const kinds = ['ABCDEFGHJKLMNPQRSTUVWXYZ', 'abcdefghijkmnpqrstuvwxyz', '23456789', '@$!%*?&'] as const
const LENGTH = 16

/** A temporary password with about 90 bits of entropy. */
export function generateTemporaryPassword(): string {
  const all = kinds.join('')
  for (;;) {
    const password = Array.from({ length: LENGTH }, () => all[randomInt(all.length)]).join('')
    // Generated again instead of repaired, so that every position has the same distribution.
    if (kinds.every((kind) => kind.split('').some((letter) => password.includes(letter)))) return password
  }
}
