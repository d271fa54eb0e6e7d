// Gateway frames as events of the store.

import assert from "node:assert/strict";
import { test } from "node:test";

import { isAfter, storeEvent } from "../../../channels_app/static/js/frames.js";
import { messageOf, spokenText } from "../../../channels_app/static/js/rows.js";
import { askedBy } from "../../../channels_app/static/js/views.js";

const KEY = "agent:main:main";

test("it works", () => {
  const event = storeEvent(
    "chat",
    { sessionKey: KEY, runId: "r", seq: 4, state: "delta", deltaText: "hi", position: "e:1-0" },
    KEY,
  );

  assert.deepEqual(event, {
    type: "delta",
    run: "r",
    seq: 4,
    text: "hi",
    isWhole: false,
    position: "e:1-0",
  });
});

test("frames of other sessions and unknown ones are passed over", () => {
  assert.equal(
    storeEvent("chat", { sessionKey: "agent:main:other", runId: "r", state: "delta" }, KEY),
    null,
  );
  assert.equal(storeEvent("presence", { sessionKey: KEY }, KEY), null);
  assert.equal(storeEvent("chat", { sessionKey: KEY, state: "new-kind" }, KEY), null);
  assert.equal(storeEvent("agent", { sessionKey: KEY, stream: "new-kind", data: {} }, KEY), null);
});

test("positions are ordered within an epoch", () => {
  assert.equal(isAfter("e:10-0", "e:9-7"), true);
  assert.equal(isAfter("e:9-7", "e:10-0"), false);
  assert.equal(isAfter("e:9-7", "e:9-7"), false);
  assert.equal(isAfter("e:9-8", "e:9-7"), true);
  assert.equal(isAfter("f:1-0", "e:9-7"), true);
  assert.equal(isAfter("e:1-0", ""), true);
});

test("an answer has text, thoughts and calls", () => {
  const message = messageOf({
    role: "assistant",
    html: "<p>ok</p>",
    model: "m",
    content: [
      { type: "thinking", thinking: "hm" },
      { type: "text", text: "ok" },
      { type: "toolCall", id: "c", name: "exec", arguments: { command: "ls" } },
    ],
    __openclaw: { id: "a", seq: 2, runId: "r", parentId: "p" },
  });

  assert.equal(message.text, "ok");
  assert.equal(message.thinking, "hm");
  assert.deepEqual(message.calls, [{ id: "c", name: "exec", args: { command: "ls" } }]);
  assert.deepEqual(
    [message.id, message.seq, message.run, message.parent, message.html],
    ["a", 2, "r", "p", "<p>ok</p>"],
  );
});

test("files of a message are named, their contents left out", () => {
  const message = messageOf({
    role: "user",
    content: [
      { type: "text", text: "look" },
      { type: "image", artifactId: "01J", fileName: "a.png" },
      { type: "text", text: '<file name="notes.txt">\nsecret\n</file>' },
      {
        type: "text",
        text: "[Attached file b.zip (application/zip, 12 bytes) is at inbox/x-b.zip in the workspace.]",
      },
    ],
    __openclaw: { id: "a", seq: 1 },
  });

  assert.equal(message.text, "look");
  assert.deepEqual(
    message.files.map((file) => file.name),
    ["a.png", "notes.txt", "b.zip"],
  );
});

test("gathered messages are shown as they were typed", () => {
  const text =
    "[Queued messages while agent was busy]\n\n---\nQueued #1\none\n\n---\nQueued #2 (from Ada)\ntwo\nlines";

  assert.equal(spokenText(text), "one\n\ntwo\nlines");
  assert.equal(spokenText("plain"), "plain");
});

test("what was said is shown, not what the gateway put before it", () => {
  const row = { role: "user", content: "[System events]\n\nhello", said: "hello" };
  assert.equal(messageOf({ ...row, __openclaw: { id: "a", seq: 1 } }).text, "hello");
  const woken = messageOf({ ...row, wake: true, said: "It is done.", __openclaw: { id: "b" } });
  assert.deepEqual([woken.role, woken.kind, woken.text], ["notice", "wake", "It is done."]);
});

test("an answer that an event began belongs to nobody's message", () => {
  const messages = [
    { id: "a", role: "user" },
    { id: "b", role: "assistant" },
    { id: "c", role: "notice", kind: "wake" },
    { id: "d", role: "assistant" },
  ];
  assert.equal(askedBy({ messages }, "b").id, "a");
  assert.equal(askedBy({ messages }, "d"), undefined);
});
