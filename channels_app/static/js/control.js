// The control socket of a page: where it is and how the page introduces itself.

import { Socket } from "./socket.js";

/** A socket that is not connected yet; `version` is that of the product. */
export const controlSocket = ({ version, caps = [], handlers }) =>
  new Socket({
    url: `${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/ws`,
    hello: {
      minProtocol: 4,
      maxProtocol: 4,
      client: {
        id: "webchat-ui",
        version,
        platform: navigator.platform || "web",
        mode: "webchat",
      },
      caps,
      locale: document.documentElement.lang,
    },
    handlers,
  });
