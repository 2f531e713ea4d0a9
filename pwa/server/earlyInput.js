// Runs on a server-rendered page until it is hydrated: records presses and typed text in order, and marks the pressed button as
// busy. pwa/app/replayEarlyInput.ts replays them after hydration.
;(() => {
  /** Every press of these counts: toggles and step buttons. */
  const counted = '[aria-pressed], [data-step]'
  const early = { recorded: [], down: null, stop }
  window.earlyInput = early

  const buttonOf = ({ target }) => target.closest('button')
  /** A press replaces the earlier choice in the same group, or the earlier press outside of any group. */
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
        for (const other of early.recorded.filter(isReplaced)) other.removeAttribute('aria-busy')
        early.recorded = early.recorded.filter((other) => !isReplaced(other))
      }
      early.recorded.push(button)
      button.setAttribute('aria-busy', 'true')
    },
    input: ({ target }) => void (early.recorded = [...early.recorded.filter((other) => other !== target), target]),
  }
  for (const [type, listener] of Object.entries(listeners)) document.addEventListener(type, listener, true)
  function stop() {
    for (const [type, listener] of Object.entries(listeners)) document.removeEventListener(type, listener, true)
  }
})()
