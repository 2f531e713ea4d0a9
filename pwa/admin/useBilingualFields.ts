import { useState } from 'react'
import type { z } from 'zod'

const blank = { titleEn: '', textEn: '', titleKo: '', textKo: '' }
type FieldName = keyof typeof blank

interface BilingualFields {
  rules: { title: z.ZodType; text: z.ZodType }
  initial?: typeof blank
  isKoreanOptional?: boolean
}

/** A title and a text in English and Korean. Problems are shown from the first check on. */
export function useBilingualFields({ rules, initial = blank, isKoreanOptional = false }: BilingualFields) {
  const [fields, setFields] = useState(initial)
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
      return Object.keys(blank).every((name) => problemOf(name as FieldName) === undefined)
    },
    clear() {
      setFields(blank)
      setChecked(false)
    },
  }
}
