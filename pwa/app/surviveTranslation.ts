/** What a browser's translation has put in the place of a text of ours. */
const stands = new WeakMap<Node, ChildNode>()

/**
 * Translations of browsers replace texts by <font> elements behind React's back. React then writes into texts that are no longer in the
 * page, where nobody sees them, and fails when it removes one (facebook/react issue 11538). From here on it finds what stands for them:
 * that is removed and passed over in their place, and a text that changes comes back, to be translated anew.
 */
export function surviveTranslation(): void {
  const changes = new MutationObserver((records) => {
    for (const { target } of records) comeBack(target)
  })
  const replacements = new MutationObserver(note)
  replacements.observe(document.documentElement, { childList: true, subtree: true })

  const { removeChild, insertBefore } = Node.prototype
  Node.prototype.removeChild = function <Child extends Node>(this: Node, child: Child): Child {
    note(replacements.takeRecords())
    const there = standingFor(child)
    if (there.parentNode === this) removeChild.call(this, there)
    return child
  }
  Node.prototype.insertBefore = function <Child extends Node>(this: Node, child: Child, before: Node | null): Child {
    note(replacements.takeRecords())
    const there = before && standingFor(before)
    // The page may be torn beyond that: then its end is nearer to right than an error.
    return insertBefore.call(this, child, there?.parentNode === this ? there : null) as Child
  }

  function note(records: MutationRecord[]): void {
    let added: ChildNode | undefined
    for (const { addedNodes, removedNodes } of records) {
      for (const node of addedNodes) added = node.nodeName === 'FONT' ? (node as ChildNode) : undefined
      for (const node of removedNodes) {
        // The element comes first, right before the text that goes; or both at once.
        if (!added || node.nodeType !== Node.TEXT_NODE || node.isConnected) continue
        stands.set(node, added)
        changes.observe(node, { characterData: true })
        added = undefined
      }
    }
  }
}

const standingFor = (node: Node): Node => (node.parentNode ? node : (stands.get(node) ?? node))

function comeBack(text: Node): void {
  const stand = stands.get(text)
  if (!stand?.parentNode) return
  stands.delete(text)
  stand.replaceWith(text)
}
