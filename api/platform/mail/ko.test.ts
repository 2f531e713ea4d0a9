import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { ko } from './ko.ts'

const root = path.join(import.meta.dirname, '../..')
const texts = Object.entries(ko)
const names = (text: string) => [...text.matchAll(/\{\w+\}/g)].map(([name]) => name).toSorted()

test('each Korean text is Korean and has the placeholders of the English one', () => {
  expect(texts.filter(([english]) => /\p{Script=Hangul}/u.test(english))).toEqual([])
  expect(texts.filter(([, korean]) => !/\p{Script=Hangul}/u.test(korean))).toEqual([])
  expect(texts.filter(([english, korean]) => names(english).join() !== names(korean).join())).toEqual([])
})

test('every Korean text is in use', () => {
  const sources = readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !/\.test\.ts$|(^|\/)(testing|stress)\/|^platform\/mail\/ko\.ts$/.test(file))
    .map((file) => readFileSync(path.join(root, file), 'utf8'))
    // In other files the same words mean something else, such as an entity.
    .filter((source) => /\b(mailOwner|notifyOwners?|announce|writeMail|inLanguage)\(/.test(source))
    .join('\n')
  expect(
    texts.map(([english]) => english).filter((text) => !sources.includes(`'${text}'`) && !sources.includes(`"${text}"`)),
  ).toEqual([])
})
