import { useEffect } from 'react'

/** Names the page in the browser's tab and history, and to a screen reader. */
export function usePageTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · XCR Nodes`
  }, [title])
}
