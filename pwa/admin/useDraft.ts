import { create } from 'zustand'

const useDrafts = create<Record<string, unknown>>()(() => ({}))

/** The state of a form that is kept while its administrator looks at another tab, which unmounts it. A reload, a logout or a login ends it. */
export function useDraft<Draft>(key: string, blank: Draft): [Draft, (draft: Draft) => void] {
  const draft = useDrafts((drafts) => drafts[key] as Draft | undefined)
  return [draft ?? blank, (next) => useDrafts.setState({ [key]: next })]
}

/** The next administrator must not see them, also if a session has ended without a logout. */
export const forgetDrafts = (): void => useDrafts.setState({}, true)
