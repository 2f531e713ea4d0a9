import { z } from 'zod'

/** What an administrator writes about a decision. */
export const note = z.string().trim().max(2_000)

export const reason = note.min(1, 'Please enter a reason.')
