// For next.config.mjs: tRPC's link over WebSockets is not used, but sets a field of its class as it is loaded, which keeps it in the bundle.
const FIELD = '_defineProperty(WsConnection, "connectCount", 0);';

/** @param {string} source */
module.exports = function markFieldAsPure(source) {
  if (!source.includes(FIELD)) throw new Error("tRPC's link over WebSockets is written in another way");
  return source.replace(FIELD, `/* @__PURE__ */ ${FIELD}`);
};
