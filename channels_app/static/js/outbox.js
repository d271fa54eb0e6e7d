// Messages that the gateway has not confirmed yet: sent again under the same id until it does.

const KEY = "openclaw:outbox";

/** A new run id; it is the message's idempotency key for good. */
export function newRunId() {
  // crypto.randomUUID needs a secure context, which a plain address in a local network is not.
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6] & 0x0f) | 0x40;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}

/** Unconfirmed messages of this tab. They survive a reload; another tab has its own. */
export class Outbox {
  constructor(storage = sessionStorage) {
    this.storage = storage;
    try {
      this.items = JSON.parse(storage.getItem(KEY) ?? "[]");
    } catch {
      this.items = [];
    }
  }

  of(sessionKey) {
    return this.items.filter((item) => item.params.sessionKey === sessionKey);
  }

  put(item) {
    this.items = [...this.items.filter((each) => each.run !== item.run), item];
    this.save();
  }

  drop(run) {
    this.items = this.items.filter((item) => item.run !== run);
    this.save();
  }

  save() {
    try {
      this.storage.setItem(KEY, JSON.stringify(this.items));
    } catch {
      // Storage is full or switched off: the message is still sent from memory.
    }
  }
}
