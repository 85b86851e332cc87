import { checkHeaders, rawAnswer } from "./http-edge.mjs";

/** @typedef {import("node:http").IncomingMessage} IncomingMessage @typedef {import("node:stream").Duplex} Duplex */

const NO_WEBSOCKET = { status: 404, message: "There is no WebSocket at this address." };
const NO_TUNNEL = {
  status: 405,
  message: "This server is not a proxy: CONNECT is not allowed.",
  headers: { allow: "GET, HEAD, OPTIONS, POST" },
};

/** Ends a socket that is no longer HTTP, and destroys it so that the client cannot keep it open. */
function endWith(/** @type {Duplex} */ socket, /** @type {import("./http-edge.mjs").Refusal} */ refusal) {
  socket.once("finish", () => socket.destroy());
  socket.end(rawAnswer(refusal));
}

/**
 * For `server.on("upgrade")`: no address speaks WebSocket. Node takes its own listeners off such a socket, so that a reset
 * one would end the process.
 */
export function refuseUpgrade(/** @type {IncomingMessage} */ request, /** @type {Duplex} */ socket) {
  socket.on("error", () => socket.destroy());
  endWith(socket, checkHeaders(request) ?? NO_WEBSOCKET);
}

/** For `server.on("connect")`: without a listener Node cuts the connection without an answer. */
export function refuseConnect(/** @type {IncomingMessage} */ _request, /** @type {Duplex} */ socket) {
  socket.on("error", () => socket.destroy());
  endWith(socket, NO_TUNNEL);
}
