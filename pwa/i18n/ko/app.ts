import type { Texts } from '../Texts.ts'

/** What stands around every page, and the parts that pages are made of. */
export const app: Texts = {
  Language: '언어',
  'Language: {name}': '언어: {name}',
  'Language Not Changed': '언어를 변경하지 못했습니다',
  'Its words could not be loaded. Please try again.': '번역을 불러오지 못했습니다. 다시 시도해 주십시오.',

  'No connection to the server. Nothing was changed: please try again.':
    '서버에 연결할 수 없습니다. 변경된 내용은 없으니 다시 시도해 주십시오.',
}
