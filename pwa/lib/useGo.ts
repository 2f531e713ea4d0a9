import { useCallback } from 'react'
import { flushSync } from 'react-dom'
import { type NavigateOptions, useNavigate } from 'react-router-dom'

/** Navigates to a path of this site; resolves once the new page has rendered. */
export type Go = (to: string, options?: NavigateOptions) => Promise<void>

export function useGo(): Go {
  const navigate = useNavigate()
  return useCallback(
    async (to, options) => {
      // May be called during a render, where flushSync is not allowed.
      await Promise.resolve()
      flushSync(() => void navigate(to, options))
    },
    [navigate],
  )
}
