// On a page that the server has drawn. What is read comes first: scripts are fetched and begin at the first sign of somebody who does
// more than read. Who only reads has them fetched a moment after the page is there, and begun after a while. A press meanwhile is made
// up for: pwa/public/theme.js.
;(() => {
  const FETCHED_AFTER = 3_000
  const BEGUN_AFTER = 10_000
  const signs = ['pointermove', 'pointerdown', 'touchstart', 'wheel', 'scroll', 'keydown', 'focusin']
  let isFetched = false
  let isDrawn = false
  let isWanted = false
  let hasBegun = false

  const add = (element) => document.head.append(Object.assign(element, { crossOrigin: '' }))
  const late = (kind) => (document.querySelector(`meta[name="late-${kind}"]`)?.content ?? '').split(' ').filter(Boolean)
  const addLink = (link) => add(Object.assign(document.createElement('link'), link))

  function fetchThem() {
    if (isFetched) return
    isFetched = true
    // As modules: what is fetched as a mere script is compiled once more, and not while it comes.
    for (const href of [...late('scripts'), ...late('modules')])
      addLink({ rel: 'modulepreload', href, fetchPriority: isWanted ? 'high' : 'low' })
  }

  function beginIfDue() {
    // Not before the page is there that they take over.
    if (!isDrawn || !isWanted || hasBegun) return
    hasBegun = true
    for (const src of late('scripts')) add(Object.assign(document.createElement('script'), { type: 'module', src }))
  }

  function begin() {
    isWanted = true
    fetchThem()
    beginIfDue()
  }

  let place
  /** A browser may tell of a pointer that rests where a page appears as of one that moves. */
  function rests({ type, screenX, screenY }) {
    if (type !== 'pointermove') return false
    const before = place
    place = `${screenX} ${screenY}`
    return before === undefined || before === place
  }

  const look = (event) => {
    if (rests(event)) return
    for (const sign of signs) removeEventListener(sign, look, true)
    begin()
  }
  for (const sign of signs) addEventListener(sign, look, { capture: true, passive: true })

  if (/[23]g/.test(navigator.connection?.effectiveType)) {
    // On a slow line scripts take longer than anything that is drawn meanwhile, and a font would be in their way: the next page has it.
    document.documentElement.dataset.font = 'system'
    fetchThem()
  } else for (const href of late('font')) addLink({ rel: 'preload', href, as: 'font', type: 'font/woff2' })

  addEventListener('load', () => {
    setTimeout(fetchThem, FETCHED_AFTER)
    setTimeout(begin, BEGUN_AFTER)
  })
  addEventListener('DOMContentLoaded', () => {
    isDrawn = true
    // What moves by itself moves from the start.
    if (document.querySelector('#root[data-now]')) begin()
    else beginIfDue()
  })
})()
