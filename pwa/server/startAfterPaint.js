// On a page that the server has drawn. What is read comes first: scripts are fetched once it is seen, and begin at the first sign of
// somebody who does more than read, or else after a while. A press meanwhile is made up for: pwa/public/theme.js.
;(() => {
  const AT_THE_LATEST = 10_000
  const signs = ['pointermove', 'pointerdown', 'touchstart', 'wheel', 'scroll', 'keydown', 'focusin']
  let isFetched = false
  let isWanted = false
  let hasBegun = false

  const add = (element) => document.head.append(Object.assign(element, { crossOrigin: '' }))
  const late = (kind) => (document.querySelector(`meta[name="late-${kind}"]`)?.content ?? '').split(' ').filter(Boolean)

  function fetchThem() {
    if (isFetched) return
    isFetched = true
    for (const href of [...late('scripts'), ...late('modules')])
      add(Object.assign(document.createElement('link'), { rel: 'preload', as: 'script', fetchPriority: 'low', href }))
    if (isWanted) begin()
  }

  function begin() {
    isWanted = true
    // Not before the page is there that they take over.
    if (!isFetched || hasBegun) return
    hasBegun = true
    for (const src of late('scripts')) add(Object.assign(document.createElement('script'), { type: 'module', src }))
  }

  for (const sign of signs) addEventListener(sign, begin, { capture: true, passive: true, once: true })
  addEventListener('load', () => setTimeout(begin, AT_THE_LATEST))
  addEventListener('DOMContentLoaded', () => {
    // What moves by itself moves from the start.
    if (document.querySelector('meta[name="late-scripts"][data-now]')) isWanted = true
    // On a slow line they take longer than anything that is drawn meanwhile. A tab in the background paints nothing.
    const isSlow = /[23]g/.test(navigator.connection?.effectiveType)
    if (isSlow || document.visibilityState === 'hidden' || !self.PerformancePaintTiming) return fetchThem()
    new PerformanceObserver((list) => list.getEntriesByName('first-contentful-paint').length && fetchThem()).observe({
      type: 'paint',
      buffered: true,
    })
    setTimeout(fetchThem, 2_000)
  })
})()
