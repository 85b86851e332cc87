// For next.config.mjs: Next's client router takes the base path from the document, since it is known only at the start.
const BUILT = "process.env.__NEXT_ROUTER_BASEPATH || ''";
const AT_START =
  "(typeof document === 'undefined' ? globalThis[Symbol.for('toolroom.base-path')] : document.documentElement.dataset.basePath) || ''";

/** @param {string} source */
module.exports = function readBasePathAtStart(source) {
  if (!source.includes(BUILT)) throw new Error("Next's client router reads its base path in another way");
  return source.replace(BUILT, AT_START);
};
