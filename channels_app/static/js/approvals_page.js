// The list of questions: fresh as soon as something is asked or answered anywhere.

import { badgeRefresh, countdownsKeep } from "./approvals.js";
import { controlSocket } from "./control.js";
import { pageJson } from "./dom.js";

const words = pageJson("approval-words");
const refresh = () => document.dispatchEvent(new Event("live:refresh"));
const changed = () => {
  refresh();
  badgeRefresh();
};
const socket = controlSocket({
  version: words.version,
  handlers: {
    event: (name) => name.startsWith("exec.approval.") && changed(),
    open: changed,
    lost: () => {},
    refused: () => {},
  },
});

countdownsKeep(words, refresh);
for (const name of ["online", "focus"]) addEventListener(name, () => socket.hurry());
socket.connect();
