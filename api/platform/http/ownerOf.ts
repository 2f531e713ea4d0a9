import type { Owner } from '../mail/Reader.ts'
import type { Actor } from './sessionStore.ts'

/** The account of the user who is logged in. */
export const ownerOf = ({ id, name, language }: Actor): Owner => ({ id, email: name, language })
