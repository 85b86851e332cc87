/** @typedef {import("@modelcontextprotocol/sdk/shared/transport.js").Transport} Transport */

/**
 * Knows which requests have no response yet, so that a client that writes its calls and closes stdin still gets them
 * answered. Has to come before the server takes the transport.
 * @param {Transport} transport
 */
export function watchOpenRequests(transport) {
  /** @type {Set<string | number>} */
  const open = new Set();
  /** @type {(() => void) | null} */
  let onSettled = null;

  /** @param {unknown} id */
  const close = (id) => {
    open.delete(/** @type {string | number} */ (id));
    if (open.size === 0) onSettled?.();
  };

  transport.onmessage = (message) => {
    if (!("method" in message)) return;
    if ("id" in message) open.add(message.id);
    // A cancelled request is not answered.
    else if (message.method === "notifications/cancelled") close(message.params?.requestId);
  };
  const send = transport.send.bind(transport);
  transport.send = async (message, options) => {
    await send(message, options);
    if (!("method" in message)) close(message.id);
  };

  return {
    /** @param {number} withinMs @returns {Promise<void>} */
    settled: (withinMs) =>
      new Promise((resolve) => {
        onSettled = resolve;
        setTimeout(resolve, withinMs).unref();
        if (open.size === 0) resolve();
      }),
  };
}
