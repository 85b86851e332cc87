// For `node --require`: a system that calls itself macOS and has no /proc.
const fs = require("node:fs");
const Module = require("node:module");

/** Binaries are this system's all the same. @param {string} file */
const toBinaryHere = (file) => file.replace(/(\/node-v\d+-|\/prebuilds\/)darwin-/, "$1linux-");

Object.defineProperty(process, "platform", { value: "darwin" });
for (const name of ["readdirSync", "readFileSync", "readlinkSync", "existsSync", "statSync"]) {
  const original = fs[name];
  fs[name] = function readElsewhere(file, ...rest) {
    if (name === "existsSync" && typeof file === "string")
      return !/^\/proc(?:\/|$)/.test(file) && original(toBinaryHere(file));
    if (!/^\/proc(?:\/|$)/.test(String(file))) return original.call(this, file, ...rest);
    throw Object.assign(new Error(`ENOENT: no such file or directory, ${name} '${file}'`), { code: "ENOENT" });
  };
}
Module.syncBuiltinESMExports();

const resolve = Module._resolveFilename;
Module._resolveFilename = function resolveHere(request, ...rest) {
  return resolve.call(this, toBinaryHere(request), ...rest);
};
