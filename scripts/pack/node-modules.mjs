import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { createRequire, isBuiltin } from "node:module";
import path from "node:path";
import { ROOT } from "../project-root.mjs";
import { StepError } from "../run-command.mjs";

const MODULES = path.join(ROOT, "node_modules");
/** Images are served as they are, so the optimizer and its 20 MB stay behind. */
const LEFT_OUT = /^(?:sharp|@img\/[^/]+|detect-libc|semver)$/;
/** Its JavaScript runs on the binaries that are there, else on Node's own SQLite: see `scripts/sqlite.mjs`. */
const NATIVE = "better-sqlite3";
const BINARY = "build/Release/better_sqlite3.node";
/** With a binary for each system, which every newer Node loads. */
const NODE_API = "better-sqlite3-napi";
/** Files that only a build needs, and the binaries for musl, where Toolroom uses Node's own SQLite. */
const NOT_NEEDED = /^(?:deps|src|prebuilds\/linuxmusl-.*|binding\.gyp$)/;
const NOT_SHIPPED =
  /\/(?:build|node_modules|test|tests|example|examples|benchmark|\.github)(?:\/|$)|\.(?:md|markdown|map|flow)$/i;
/** Pages render with the React in Next, and errors with `react-dom/server.edge`: nothing reads the other renderers. */
const FALLBACK =
  /^(?:server\.browser|server\.node|static\.node|cjs\/react-dom-server(?:\.browser|\.node|-legacy\.node)\.production)\.js$/;
const LICENSE = /^(?:licen[cs]e|notice|copying)(?:[.-].*)?$/i;

/** @param {string} name @returns {Record<string, any>} */
const readManifest = (name) => JSON.parse(readFileSync(path.join(MODULES, name, "package.json"), "utf8"));

/** Next's trace begins behind it, since its own server is another one. */
const NEXT_ENTRY = "next/dist/server/next.js";
/** Loaded in development alone, while building, for code at the edge, for builds by webpack, or for experiments that are off; or a part of a runtime of Next that is in one file. */
const UNUSED =
  /\/(?:app-page|pages|server)\.runtime\.prod\.js$|\/next\/dist\/server\/(?:app-render\/app-render|use-cache\/use-cache-wrapper|dev\/hot-reloader-(?:turbopack|webpack|rspack))\.js$|-experimental\.runtime\.prod\.js$|\/capsize-font-metrics\.json$|\/next\/dist\/(?:build\/(?:webpack|babel|index\.js|turbopack)|compiled\/(?:webpack|babel|@babel|browserslist|fast-jwt|tar|watchpack|edge-runtime\/|@edge-runtime\/primitives|next-devtools|@modelcontextprotocol|@next\/font|@mswjs)|server\/dev\/next-dev-server|server\/lib\/router-utils\/setup-dev-bundler|server\/typescript|lib\/upgrade|next-devtools\/)|\.dev\.js$|\.development\.js$/;

/** Lists the files that a file of a package requires, directly or through others. @param {string} entry @param {(name: string) => boolean} isTraced @returns {{ name: string, file: string }[]} */
function followRequires(entry, isTraced) {
  const found = new Map();
  const left = [realpathSync(path.join(MODULES, entry))];
  for (let file = left.pop(); file !== undefined; file = left.pop()) {
    const place = found.has(file) || UNUSED.test(file) ? null : toPlace(file);
    if (place === null || !isTraced(place.name)) continue;
    found.set(file, place);
    // It names the file that a folder stands for.
    const manifest = path.join(path.dirname(file), "package.json");
    if (existsSync(manifest)) found.set(manifest, toPlace(manifest));
    if (!/\.c?js$/.test(file)) continue;
    const { resolve } = createRequire(file);
    for (const [, wanted = ""] of readFileSync(file, "utf8").matchAll(/\brequire\(\s*["']([^"'\n]+)["']\s*\)/g)) {
      if (isBuiltin(wanted)) continue;
      try {
        left.push(resolve(wanted));
      } catch {
        // Optional, or a part of a text.
      }
    }
  }
  return [...found.values()];
}

/** Files of packages that the built server loads, as Next's build traced them. @returns {Map<string, string[]>} by package */
function readTraces() {
  const folder = path.join(ROOT, ".next");
  const traces = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter(
    (name) => name.endsWith(".nft.json") && !name.startsWith("cache"),
  );
  /** @type {Map<string, Set<string>>} */
  const found = new Map();
  for (const trace of traces) {
    const at = path.dirname(path.join(folder, trace));
    for (const file of JSON.parse(readFileSync(path.join(folder, trace), "utf8")).files) {
      const place = toPlace(path.resolve(at, file));
      if (
        place === null ||
        LEFT_OUT.test(place.name) ||
        place.name === NATIVE ||
        place.name === NODE_API ||
        UNUSED.test(file)
      )
        continue;
      found.set(place.name, (found.get(place.name) ?? new Set()).add(place.file));
    }
  }
  for (const { name, file } of followRequires(NEXT_ENTRY, (traced) => found.has(traced))) found.get(name)?.add(file);
  return new Map([...found].map(([name, files]) => [name, [...files].sort()]));
}

/** @param {string} traced @returns {{ name: string, file: string } | null} null for a file that is in no package */
function toPlace(traced) {
  if (!existsSync(traced) || !statSync(traced).isFile()) return null;
  const relative = path.relative(MODULES, realpathSync(traced)).split(path.sep);
  if (relative[0] === "..") return null;
  const parts = relative[0]?.startsWith("@") ? 2 : 1;
  const name = relative.slice(0, parts).join("/");
  if (relative.includes("node_modules") && !LEFT_OUT.test(name)) {
    throw new StepError(`${relative.join("/")} has a version of its own, which a package cannot carry.`, {
      wayOut: "Let npm use one version: see overrides in package.json.",
    });
  }
  return { name, file: relative.slice(parts).join("/") };
}

/** @param {string[]} names @returns {string[]} they and all that they depend on */
function followDependencies(names) {
  const found = new Set();
  const left = [...names];
  for (let name = left.pop(); name !== undefined; name = left.pop()) {
    if (found.has(name) || !existsSync(path.join(MODULES, name))) continue;
    found.add(name);
    const { dependencies = {} } = readManifest(name);
    left.push(...Object.keys(dependencies));
  }
  return [...found].sort();
}

/** Without what npm would install for it again, and without the list by which npm would leave out what was added: it is all here. @param {string} name @param {string} target */
function writeManifest(name, target) {
  const { dependencies, optionalDependencies, peerDependencies, devDependencies, scripts, files, ...rest } =
    readManifest(name);
  // One package is installed under another name than its own.
  const kept = { ...rest, name };
  writeFileSync(path.join(target, "node_modules", name, "package.json"), `${JSON.stringify(kept, null, 2)}\n`);
}

/** @param {string} name @param {string[]} files @param {string} target */
function copyPackage(name, files, target) {
  const licenses = readdirSync(path.join(MODULES, name)).filter((file) => LICENSE.test(file));
  for (const file of new Set([...files, ...licenses])) {
    const place = path.join(target, "node_modules", name, file);
    mkdirSync(path.dirname(place), { recursive: true });
    cpSync(path.join(MODULES, name, file), place);
  }
  writeManifest(name, target);
}

/** @param {string} name @returns {string[]} */
function listFiles(name) {
  const folder = path.join(MODULES, name);
  return readdirSync(folder, { recursive: true, encoding: "utf8" }).filter(
    (file) => !NOT_SHIPPED.test(`/${file.split(path.sep).join("/")}`) && statSync(path.join(folder, file)).isFile(),
  );
}

/** For an older Node, what was built for it on this machine, where better-sqlite3 finds it by version and system. @param {string} target */
function addOwnBinary(target) {
  if (Number(process.versions.napi) >= 10) return;
  const system = `node-v${process.versions.modules}-${process.platform}-${process.arch}`;
  const folder = path.join(target, "node_modules", NATIVE, "lib/binding", system);
  mkdirSync(folder, { recursive: true });
  cpSync(path.join(MODULES, NATIVE, BINARY), path.join(folder, path.basename(BINARY)));
}

/** Prisma's compilers are text in their modules; as files of their own they take a quarter less of the package. @param {string} target */
function unwrapCompilers(target) {
  const folder = path.join(target, "node_modules/@prisma/client/runtime");
  for (const name of readdirSync(folder)) {
    const text = readFileSync(path.join(folder, name), "utf8");
    const [, base64] = /^const wasm = "([A-Za-z0-9+/=]+)";?\s*export \{ wasm \};?\s*$/.exec(text) ?? [];
    if (base64 === undefined) continue;
    const file = name.replace("-base64.mjs", "");
    writeFileSync(path.join(folder, file), Buffer.from(base64, "base64"));
    const read = `readFileSync(new URL(${JSON.stringify(file)}, import.meta.url), "base64")`;
    writeFileSync(path.join(folder, name), `import { readFileSync } from "node:fs";\nexport const wasm = ${read};\n`);
  }
}

/** The packages that the server needs, without the rest of them. @param {string} target @returns {Record<string, string>} their versions */
export function copyNodeModules(target) {
  const traced = readTraces();
  // Loaded by the server itself.
  for (const name of ["next", "pino", "@prisma/client"]) {
    if (!traced.has(name))
      throw new StepError(`The build did not trace ${name}.`, { wayOut: "Delete .next and try again." });
  }
  for (const [name, files] of traced) {
    copyPackage(name, name === "react-dom" ? files.filter((file) => !FALLBACK.test(file)) : files, target);
  }
  unwrapCompilers(target);
  // `bindings` finds the binary; the other dependency downloads one.
  const native = [NATIVE, NODE_API, ...followDependencies(["bindings"])];
  for (const name of native) {
    const files = listFiles(name).filter((file) => !name.startsWith(NATIVE) || !NOT_NEEDED.test(file));
    copyPackage(name, files, target);
  }
  addOwnBinary(target);
  const names = [...new Set([...traced.keys(), ...native])].sort();
  return Object.fromEntries(names.map((name) => [name, readManifest(name).version]));
}

/** Names, versions and licenses of everything that is in the bundles. @param {string} target @param {string[]} dependencies */
export function writeNotices(target, dependencies) {
  /** @type {Map<string, string[]>} packages by the text of their license */
  const byText = new Map();
  for (const name of followDependencies(dependencies)) {
    const { version, license } = readManifest(name);
    const file = readdirSync(path.join(MODULES, name)).find((entry) => LICENSE.test(entry));
    const text =
      file === undefined ? `License: ${license}` : readFileSync(path.join(MODULES, name, file), "utf8").trim();
    byText.set(text, [...(byText.get(text) ?? []), `${name} ${version}`]);
  }
  const parts = [...byText].map(([text, names]) => `${names.join("\n")}\n\n${text}\n`);
  const intro = "Toolroom contains parts of these packages.\n";
  writeFileSync(path.join(target, "THIRD-PARTY-NOTICES.txt"), [intro, ...parts].join(`\n${"-".repeat(80)}\n\n`));
}
