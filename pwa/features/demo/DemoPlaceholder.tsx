/** Labels the installation as a demo until the bar's chunk has loaded. */
export const DemoPlaceholder = () => (
  <aside aria-label="Demo" className="page flex h-14 items-center text-14 font-strong">
    Demo
  </aside>
)
