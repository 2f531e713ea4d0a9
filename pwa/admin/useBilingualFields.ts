import { useState } from 'react'
import type { z } from 'zod'

export const noWords = { titleEn: '', textEn: '', titleKo: '', textKo: '' }
type FieldName = keyof typeof noWords

interface BilingualFields {
  rules: { title: z.ZodType; text: z.ZodType }
  /** As of `useState` or `useDraft`. */
  state: readonly [typeof noWords, (fields: typeof noWords) => void]
  isKoreanOptional?: boolean
}

/** A title and a text in English and Korean. Problems are shown from the first check on. */
export function useBilingualFields({ rules, state: [fields, setFields], isKoreanOptional = false }: BilingualFields) {
  const [isChecked, setChecked] = useState(false)
  const problemOf = (name: FieldName): string | undefined => {
    if (isKoreanOptional && name.endsWith('Ko') && !fields[name].trim()) return undefined
    const rule = name.startsWith('title') ? rules.title : rules.text
    return rule.safeParse(fields[name]).error?.issues[0]?.message
  }
  return {
    bind: (name: FieldName) => ({
      value: fields[name],
      error: isChecked ? problemOf(name) : undefined,
      autoComplete: 'off',
      onChange: (event: { target: { value: string } }) => setFields({ ...fields, [name]: event.target.value }),
    }),
    /** What was typed, trimmed. */
    title: { en: fields.titleEn.trim(), ko: fields.titleKo.trim() },
    text: { en: fields.textEn.trim(), ko: fields.textKo.trim() },
    /** @returns whether every field is valid. */
    check(): boolean {
      setChecked(true)
      return Object.keys(noWords).every((name) => problemOf(name as FieldName) === undefined)
    },
    clear() {
      setFields(noWords)
      setChecked(false)
    },
  }
}
