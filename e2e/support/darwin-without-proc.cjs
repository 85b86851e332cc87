// For `node --require`: a system that calls itself macOS and has no /proc.
const fs = require("node:fs");
const { syncBuiltinESMExports } = require("node:module");

Object.defineProperty(process, "platform", { value: "darwin" });
for (const name of ["readdirSync", "readFileSync", "readlinkSync", "existsSync", "statSync"]) {
  const original = fs[name];
  fs[name] = function readElsewhere(file, ...rest) {
    if (!/^\/proc(?:\/|$)/.test(String(file))) return original.call(this, file, ...rest);
    if (name === "existsSync") return false;
    throw Object.assign(new Error(`ENOENT: no such file or directory, ${name} '${file}'`), { code: "ENOENT" });
  };
}
syncBuiltinESMExports();
