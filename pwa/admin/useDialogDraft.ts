import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { adminStatusQuery } from './queries.ts'
import { useDraft } from './useDraft.ts'

/** A draft that ends when its dialog closes, but not when the login replaces the dialog after the session has ended. */
export function useDialogDraft<Draft>(key: string, blank: Draft): [Draft, (draft: Draft) => void] {
  const queryClient = useQueryClient()
  const [draft, setDraft] = useDraft(key, blank)
  const isOpen = useRef(false)
  const end = useRef(() => {})
  useEffect(() => {
    end.current = () => {
      const isLoggedOut = queryClient.getQueryData(adminStatusQuery.queryKey)?.isLoggedIn === false
      if (!isOpen.current && !isLoggedOut && draft !== blank) setDraft(blank)
    }
  })
  useEffect(() => {
    isOpen.current = true
    return () => {
      isOpen.current = false
      // Strict mode runs the effect again at once.
      queueMicrotask(() => end.current())
    }
  }, [])
  return [draft, setDraft]
}
