import { useCallback } from 'react'
import { flushSync } from 'react-dom'
import { type NavigateOptions, useNavigate } from 'react-router-dom'

/** Goes to a path of this site; resolves once the page knows that it is there. */
export type Go = (to: string, options?: NavigateOptions) => Promise<void>

export function useGo(): Go {
  const navigate = useNavigate()
  return useCallback(
    async (to, options) => {
      // Also called in the middle of drawing, where nothing can be drawn at once.
      await Promise.resolve()
      flushSync(() => void navigate(to, options))
    },
    [navigate],
  )
}
