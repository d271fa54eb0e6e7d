// The words and settings that the server wrote into the chat page.

import { pageJson } from "./dom.js";

export const words = pageJson("chat-words") ?? {};
export const settings = pageJson("chat-settings") ?? {};
