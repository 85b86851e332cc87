const NOT_FOUND = "HTTP/1.1 404 Not Found\r\nconnection: close\r\ncontent-length: 0\r\n\r\n";

/**
 * For `server.on("upgrade")`. Node takes its own listeners off such a socket, so that a reset one would end the process.
 * @param {(request: import("node:http").IncomingMessage, socket: import("node:stream").Duplex, head: Buffer) => boolean} take
 * false: nobody wants it
 * @returns {(request: import("node:http").IncomingMessage, socket: import("node:stream").Duplex, head: Buffer) => void}
 */
export function createUpgradeHandler(take) {
  return (request, socket, head) => {
    socket.on("error", () => socket.destroy());
    if (take(request, socket, head)) return;
    // Else the client would decide how long it stays open.
    socket.once("finish", () => socket.destroy());
    socket.end(NOT_FOUND);
  };
}
