import type { ReactNode } from 'react'
import type { NamesIn } from '#shared/fillIn.ts'
import { useLanguage } from './language.ts'

type TagsIn<Text extends string> = Text extends `${string}</${infer Tag}>${infer Rest}` ? Tag | TagsIn<Rest> : never

type TProps<Text extends string> = { text: Text } & { [Name in NamesIn<Text>]: ReactNode } & {
  [Tag in TagsIn<Text>]: (inside: ReactNode) => ReactNode
}

/** A sentence with markup inside: `<T text="Read <faq>the FAQ</faq> first" faq={(inside) => <b>{inside}</b>} />`. */
export function T<const Text extends string>({ text, ...parts }: TProps<Text>) {
  return renderMarkup(useLanguage.getState().texts[text] ?? text, parts as Parts)
}

type Parts = Record<string, ReactNode | ((inside: ReactNode) => ReactNode)>

function renderMarkup(text: string, parts: Parts): ReactNode {
  const [before, found, tag, inside, name] = /^(.*?)(<(\w+)>(.*?)<\/\3>|\{(\w+)\})/s.exec(text)?.slice(1) ?? []
  if (before === undefined || found === undefined) return text
  const part = parts[tag ?? name ?? ''] ?? found
  return (
    <>
      {before}
      {typeof part === 'function' ? part(renderMarkup(inside ?? '', parts)) : part}
      {renderMarkup(text.slice(before.length + found.length), parts)}
    </>
  )
}
