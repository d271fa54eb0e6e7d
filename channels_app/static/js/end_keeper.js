// Stays at the end of the conversation as long as a person is there; otherwise offers the way back.

const NEAR = 90;

/** Watches a scroller. `button` leads to the end and shows when something new stands there. */
export class EndKeeper {
  constructor(scroller, content, button) {
    Object.assign(this, { scroller, button, isAtEnd: true });
    scroller.addEventListener("scroll", () => this.scrolled(), { passive: true });
    button.addEventListener("click", () => this.toEnd());
    // Pictures and opened cards change heights after the last drawing.
    new ResizeObserver(() => this.isAtEnd && this.toEnd()).observe(content);
    if (location.hash.startsWith("#m-")) this.isAtEnd = false;
    else this.toEnd();
  }

  scrolled() {
    const { scrollTop, scrollHeight, clientHeight } = this.scroller;
    this.isAtEnd = scrollHeight - scrollTop - clientHeight < NEAR;
    if (this.isAtEnd) this.button.hidden = true;
  }

  toEnd() {
    this.scroller.scrollTop = this.scroller.scrollHeight;
    this.isAtEnd = true;
    this.button.hidden = true;
  }

  /** After a change: follows it, or says that `isNews` stands below. */
  follow(isNews) {
    if (this.isAtEnd) this.toEnd();
    else if (isNews) this.button.hidden = false;
  }

  /** Does `change`, which adds something above, without moving what is read. */
  keepPlace(change) {
    const before = this.scroller.scrollHeight;
    change();
    this.isAtEnd = false;
    this.scroller.scrollTop += this.scroller.scrollHeight - before;
  }
}
