// On a page drawn by the server, until it is hydrated: keeps in order what is pressed and typed, and marks what was pressed as busy.
// pwa/app/takeEarlyInput.ts repeats it on the hydrated page.
;(() => {
  /** Each press of these counts: a toggle, a step of a number. */
  const counted = '[aria-pressed], [data-step]'
  const early = { kept: [], down: null, stop }
  window.earlyInput = early

  const buttonOf = ({ target }) => target.closest('button')
  /** What a press replaces: another choice of its group, or the last press that was no choice. */
  const isReplacedBy = (group) => (other) =>
    other.matches('button') && !other.matches(counted) && other.closest('[role=tablist], [role=radiogroup]') === group

  const listeners = {
    pointerdown: (event) => void (early.down = buttonOf(event)),
    click: (event) => {
      const button = buttonOf(event)
      early.down = null
      if (!button) return
      if (!button.matches(counted)) {
        const isReplaced = isReplacedBy(button.closest('[role=tablist], [role=radiogroup]'))
        for (const other of early.kept.filter(isReplaced)) other.removeAttribute('aria-busy')
        early.kept = early.kept.filter((other) => !isReplaced(other))
      }
      early.kept.push(button)
      button.setAttribute('aria-busy', 'true')
    },
    input: ({ target }) => void (early.kept = [...early.kept.filter((other) => other !== target), target]),
  }
  for (const [type, listener] of Object.entries(listeners)) document.addEventListener(type, listener, true)
  function stop() {
    for (const [type, listener] of Object.entries(listeners)) document.removeEventListener(type, listener, true)
  }
})()
