import { statusWord } from '#shared/history.ts'
import { translateServerText } from '#pwa/i18n/t.ts'
import type { Tone } from '#pwa/ui/Badge.tsx'

const tones: Record<string, Tone> = {
  confirmed: 'done',
  completed: 'done',
  pending: 'waiting',
  processing: 'waiting',
  manual_review: 'waiting',
  failed: 'refused',
}

/** A status's label and tone. */
export const presentStatus = (status: string): { tone: Tone; word: string } => ({
  tone: tones[status] ?? 'neutral',
  word: translateServerText(statusWord(status)),
})
