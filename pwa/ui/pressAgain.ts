/** What a pointer does to a button before the click: menus and tabs answer to that. */
export function pressDown(button: HTMLElement): void {
  const options = { bubbles: true, cancelable: true, pointerType: 'mouse' }
  button.dispatchEvent(new PointerEvent('pointerdown', options))
  button.dispatchEvent(new MouseEvent('mousedown', options))
}

/** Presses a button that could not answer at the time. */
export function pressAgain(button: HTMLElement): void {
  pressDown(button)
  button.click()
}
