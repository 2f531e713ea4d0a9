const MARK = 'reloaded-for-new-chunks'

/** After a new version was put up, a page that was open may ask for a part that is gone. One reload brings the new parts. */
export function reloadOnceForNewChunks(): void {
  window.addEventListener('vite:preloadError', (event) => {
    if (sessionStorage.getItem(MARK)) return
    sessionStorage.setItem(MARK, 'yes')
    event.preventDefault()
    location.reload()
  })
}
