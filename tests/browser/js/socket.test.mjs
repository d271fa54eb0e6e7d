// The socket: hello, requests, back-off.

import assert from "node:assert/strict";
import { test } from "node:test";

import { backOff, Socket } from "../../../channels_app/static/js/socket.js";

class Wire {
  static OPEN = 1;
  static CONNECTING = 0;
  static made = [];
  constructor() {
    this.readyState = 1;
    this.sent = [];
    Wire.made.push(this);
  }
  send(text) {
    this.sent.push(JSON.parse(text));
  }
  say(frame) {
    this.onmessage({ data: JSON.stringify(frame) });
  }
  close(code = 1005) {
    this.readyState = 3;
    this.onclose?.({ code, reason: "" });
  }
}

function connected() {
  const seen = { events: [], opened: 0, lost: 0, refused: [] };
  const handlers = {
    event: (name) => seen.events.push(name),
    open: () => (seen.opened += 1),
    lost: () => (seen.lost += 1),
    refused: (error) => seen.refused.push(error),
  };
  const socket = new Socket({ url: "ws://x", hello: { minProtocol: 4 }, handlers, Kind: Wire });
  socket.connect();
  return { socket, seen, wire: Wire.made.at(-1) };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

function end(socket) {
  clearTimeout(socket.timer);
  clearTimeout(socket.quiet);
  for (const { timer } of socket.waiting.values()) clearTimeout(timer);
}

async function greeted() {
  const found = connected();
  found.wire.say({ type: "event", event: "connect.challenge", payload: {} });
  found.wire.say({ type: "res", id: "1", ok: true, payload: { policy: { tickIntervalMs: 1000 } } });
  await turn();
  return found;
}

test("it works", async () => {
  const { socket, seen, wire } = await greeted();
  assert.equal(wire.sent[0].method, "connect");
  assert.equal(seen.opened, 1);

  const asked = socket.ask("health");
  wire.say({ type: "res", id: "2", ok: true, payload: { ok: true } });
  assert.deepEqual(await asked, { ok: true });

  wire.say({ type: "event", event: "tick", payload: {} });
  assert.deepEqual(seen.events, ["tick"]);
  end(socket);
});

test("a refused request rejects with the gateway's error", async () => {
  const { socket, wire } = await greeted();
  const asked = socket.ask("chat.send");
  wire.say({ type: "res", id: "2", ok: false, error: { code: "INVALID_REQUEST", message: "no" } });

  await assert.rejects(asked, { code: "INVALID_REQUEST" });
  end(socket);
});

test("what was asked is lost with the connection, and a new one is made", async () => {
  const { socket, seen, wire } = await greeted();
  const asked = socket.ask("chat.send");
  wire.close();

  await assert.rejects(asked, { code: "LOST" });
  assert.equal(seen.lost, 1);
  socket.hurry();
  assert.notEqual(Wire.made.at(-1), wire);
  end(socket);
});

test("a person who is signed out is told once and left alone", async () => {
  const { socket, seen, wire } = connected();
  wire.say({ type: "event", event: "connect.challenge", payload: {} });
  wire.say({
    type: "res",
    id: "1",
    ok: false,
    error: { code: "INVALID_REQUEST", message: "unauthorized" },
  });
  await turn();
  wire.close(1008);

  assert.equal(seen.refused.length, 1);
  const made = Wire.made.length;
  socket.hurry();
  assert.equal(Wire.made.length, made);
  end(socket);
});

test("waits grow, are half random and have an end", () => {
  assert.equal(backOff(0, 0), 200);
  assert.equal(backOff(0, 1), 400);
  assert.equal(backOff(3, 1), 3200);
  assert.equal(backOff(30, 1), 15_000);
});
