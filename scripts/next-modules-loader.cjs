// For next.config.mjs: Next's client is CommonJS, and beside it the same as ES modules, of which the build leaves out what is unused.
const { existsSync, readFileSync } = require("node:fs");

/** @this {{ resourcePath: string }} @param {string} source */
module.exports = function readEsModule(source) {
  const file = this.resourcePath.replace(/([\\/]next[\\/]dist[\\/])/, "$1esm/");
  return existsSync(file) ? readFileSync(file, "utf8").replace(/\n\/\/# sourceMappingURL=.*/, "") : source;
};
