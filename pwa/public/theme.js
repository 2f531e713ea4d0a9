// Runs before the first paint, so that nobody is dazzled by the other theme. pwa/ui/theme.ts takes over from it.
;(() => {
  let choice = null
  try {
    choice = localStorage.getItem('theme')
  } catch {
    // Storage is denied in some in-app browsers; the system's theme is right then.
  }
  // Until then it tells which icon the menu of themes has.
  if (choice) document.documentElement.dataset.chosen = choice
  // A form that nobody answers yet would put what was typed, a password too, into the address. None is sent by the browser itself.
  addEventListener('submit', (event) => event.preventDefault())
  const dark = choice === 'dark' || (choice !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches)
  document.documentElement.dataset.theme = dark ? 'dark' : 'light'
})()
