/** The pointer events before a click: menus and tabs react to these. */
export function replayPointerDown(button: HTMLElement): void {
  const options = { bubbles: true, cancelable: true, pointerType: 'mouse' }
  button.dispatchEvent(new PointerEvent('pointerdown', options))
  button.dispatchEvent(new MouseEvent('mousedown', options))
}

/** Replays a press on a button that was not hydrated at the time. */
export function replayPress(button: HTMLElement): void {
  replayPointerDown(button)
  button.click()
}
