import type { Owner } from '../mail/Recipient.ts'
import type { Actor } from './sessionStore.ts'

/** The logged-in user's account. */
export const ownerOf = ({ id, name, language }: Actor): Owner => ({ id, email: name, language })
