// The control WebSocket: connects, says hello, asks and listens, and heals by itself.

const FIRST_DELAY_MS = 400;
const LONGEST_DELAY_MS = 15_000;
const REQUEST_MS = 30_000;
// Closed for good: the session ended, or the server refuses this page.
const FINAL_CODES = new Set([4401, 4403]);

/** Milliseconds to wait before attempt `n` (from 0): doubling, with half of it random. */
export function backOff(n, random = Math.random()) {
  const whole = Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** n);
  return whole / 2 + (whole / 2) * random;
}

/** One connection that is made again whenever it is lost. Handlers: event, open, lost, refused. */
export class Socket {
  constructor({ url, hello, handlers, Kind = WebSocket }) {
    Object.assign(this, {
      url,
      hello,
      handlers,
      Kind,
      attempt: 0,
      number: 0,
      waiting: new Map(),
      isOpen: false,
    });
    this.silence = 60_000;
  }

  connect() {
    clearTimeout(this.timer);
    const socket = new this.Kind(this.url);
    this.socket = socket;
    socket.onmessage = ({ data }) => this.socket === socket && this.received(JSON.parse(data));
    socket.onclose = ({ code, reason }) => this.socket === socket && this.closed(code, reason);
    this.listenForSilence();
  }

  /** Asks at once for a new connection: the network came back, or the tab is looked at again. */
  hurry() {
    if (this.isOpen || this.isRefused) return;
    this.attempt = 0;
    if (this.socket.readyState !== this.Kind.CONNECTING) this.connect();
  }

  /** The payload of a method's answer. Rejects with {code, message} or when the socket is lost. */
  ask(method, params = {}) {
    const id = `${(this.number += 1)}`;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(
        () => this.settle(id, "reject", { code: "TIMEOUT", message: method }),
        REQUEST_MS,
      );
      this.waiting.set(id, { resolve, reject, timer });
      if (this.socket.readyState === this.Kind.OPEN)
        this.socket.send(JSON.stringify({ type: "req", id, method, params }));
      else this.settle(id, "reject", { code: "LOST", message: method });
    });
  }

  received(frame) {
    this.listenForSilence();
    if (frame.type === "res") {
      if (frame.ok) this.settle(frame.id, "resolve", frame.payload);
      else this.settle(frame.id, "reject", frame.error);
    } else if (frame.event === "connect.challenge") {
      this.greet(this.socket);
    } else if (frame.type === "event") {
      this.handlers.event(frame.event, frame.payload ?? {});
    }
  }

  async greet(socket) {
    try {
      const hello = await this.ask("connect", this.hello);
      if (this.socket !== socket) return;
      this.silence = 2.2 * (hello.policy?.tickIntervalMs ?? 30_000);
      this.isOpen = true;
      this.attempt = 0;
      this.listenForSilence();
      this.handlers.open(hello);
    } catch (error) {
      if (error.code !== "LOST" && error.retryable !== true) this.refusal = error;
    }
  }

  settle(id, how, value) {
    const entry = this.waiting.get(id);
    if (!entry) return;
    clearTimeout(entry.timer);
    this.waiting.delete(id);
    entry[how](value);
  }

  closed(code, reason) {
    clearTimeout(this.quiet);
    this.isOpen = false;
    for (const id of [...this.waiting.keys()])
      this.settle(id, "reject", { code: "LOST", message: reason });
    if (FINAL_CODES.has(code) || (code === 1008 && this.refusal)) {
      this.isRefused = true;
      this.handlers.refused(this.refusal ?? { code, message: reason });
      return;
    }
    // 1012 says that the server comes back at once.
    if (code === 1012) this.attempt = 0;
    this.handlers.lost(this.attempt);
    this.timer = setTimeout(() => this.connect(), backOff(this.attempt));
    this.attempt += 1;
  }

  /** A connection that says nothing for two ticks is dead, whatever the browser thinks. */
  listenForSilence() {
    clearTimeout(this.quiet);
    this.quiet = setTimeout(() => {
      const socket = this.socket;
      this.socket = { readyState: 3 };
      socket.close(4000, "silent");
      this.socket = socket;
      this.closed(4000, "silent");
    }, this.silence);
  }
}
