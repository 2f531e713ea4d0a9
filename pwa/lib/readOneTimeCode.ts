import { oneTimeCode, readRecoveryCode } from '#shared/oneTimeCode.ts'

/** Parses an authenticator or recovery code into the form that is sent; undefined while it is incomplete. */
export const readOneTimeCode = (text: string): string | undefined =>
  oneTimeCode.safeParse(text).success ? text : readRecoveryCode(text)
