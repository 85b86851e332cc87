// A server that publishes Agent Skills. Arguments: its own name, `stateless` for the 2026-07-28
// protocol, `public` where caches may share its lists, `folder=<path>` for the skills in a folder alone, as they
// are with each list. Beside skills of its own it has `shared`, which any other instance has too, with other content.
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { send, serveStdio } from "./stdio-server.mjs";

const [name = "left", era = ""] = process.argv.slice(2);
const stateless = era === "stateless";
const EXTENSION = "io.modelcontextprotocol/skills";
const capabilities = { tools: {}, resources: {}, extensions: { [EXTENSION]: {} } };
const cache = { ttlMs: 0, cacheScope: process.argv.includes("public") ? "public" : "private" };

/** @param {string} title @param {string} body */
const instructions = (title, body) =>
  `---\nname: ${title}\ndescription: How ${name} does ${title}\nlicense: MIT\n---\n\n${body}\n`;

/** The files of each skill, by the folder's URI. @type {Record<string, Record<string, string>>} */
const skills = {
  "skill://shared": {
    "SKILL.md": instructions("shared", `Shared steps of ${name}.`),
    "references/more.md": `More of ${name}.`,
  },
  [`skill://acme/${name}-guide`]: {
    "SKILL.md": instructions(`${name}-guide`, "Read references/ü.md first."),
    "references/ü.md": "Grüße, 世界",
  },
  "skill://moving": { "SKILL.md": instructions("moving", "Version 1.") },
  "skill://altered": { "SKILL.md": instructions("altered", "Not what was listed.") },
  "skill://generated": { "SKILL.md": instructions("generated", `At ${process.pid}.`) },
};

const folder = process.argv.find((each) => each.startsWith("folder="))?.slice("folder=".length);

/** Reads the skills of the folder again. */
function readFolder() {
  if (folder === undefined) return;
  for (const root of Object.keys(skills)) delete skills[root];
  for (const title of readdirSync(folder)) {
    const own = path.join(folder, title);
    const files = readdirSync(own).map((file) => [file, readFileSync(path.join(own, file), "utf8")]);
    skills[`skill://${title}`] = Object.fromEntries(files);
  }
}

/** @param {string} text */
const toDigest = (text) => ({
  digest: `sha256:${createHash("sha256").update(text).digest("hex")}`,
  size: Buffer.byteLength(text),
});

/** @param {string} root */
function toEntry(root) {
  const files = skills[root] ?? {};
  const title = root.slice(root.lastIndexOf("/") + 1);
  return {
    uri: `${root}/SKILL.md`,
    frontmatter: { name: title, description: `How ${name} does ${title}`, license: "MIT" },
    resources:
      title === "generated"
        ? "dynamic"
        : Object.entries(files).map(([file, text]) => ({
            uri: `${root}/${file}`,
            ...toDigest(title === "altered" ? "what was listed" : text),
          })),
  };
}

/** Entries that break a rule of the extension each. */
const broken = [
  { uri: "skill://no-files/SKILL.md", frontmatter: { name: "no-files", description: "x" } },
  { uri: "skill://other-name/SKILL.md", frontmatter: { name: "name", description: "x" }, resources: "dynamic" },
  {
    uri: "skill://escapes/SKILL.md",
    frontmatter: { name: "escapes", description: "x" },
    resources: [
      { uri: "skill://escapes/SKILL.md", ...toDigest("") },
      { uri: "file:///etc/passwd", ...toDigest("") },
    ],
  },
  "none",
];

// With the argument `sound` it lists only skills that break no rule and have digests.
if (process.argv.includes("sound")) {
  broken.length = 0;
  for (const root of ["skill://moving", "skill://altered", "skill://generated"]) delete skills[root];
}

let reads = 0;
/** @param {string} uri */
function read(uri) {
  for (const [root, files] of Object.entries(skills)) {
    for (const [file, text] of Object.entries(files)) {
      if (uri === `${root}/${file}`) return { contents: [{ uri, mimeType: "text/markdown", text }] };
    }
  }
  return null;
}

serveStdio({
  name,
  tools: [],
  capabilities,
  handle: ({ id, method, params = {} }) => {
    if (id === undefined) return false;
    const reply = (/** @type {object} */ result) =>
      send({ jsonrpc: "2.0", id, result: stateless ? { resultType: "complete", ...cache, ...result } : result });
    const refuse = () => send({ jsonrpc: "2.0", id, error: { code: -32602, message: "Resource not found" } });
    switch (method) {
      case "server/discover": {
        if (!stateless) return false;
        const info = { "io.modelcontextprotocol/serverInfo": { name, version: "1.0.0" } };
        reply({ supportedVersions: ["2026-07-28"], capabilities, _meta: info });
        return true;
      }
      case "tools/list":
        reply({ tools: [] });
        return true;
      case "resources/list":
        reply({ resources: [] });
        return true;
      case "skills/list": {
        readFolder();
        // Two pages, so that both have to be read.
        const entries = [...Object.keys(skills).map(toEntry), ...broken];
        if (params.cursor === undefined) reply({ skills: entries.slice(0, 2), nextCursor: "2" });
        else reply({ skills: entries.slice(2) });
        return true;
      }
      case "skills/get": {
        const root = Object.keys(skills).find((each) => `${each}/SKILL.md` === params.uri);
        if (root === undefined) refuse();
        else reply({ skill: toEntry(root) });
        return true;
      }
      case "resources/read": {
        // Its content changes after it was listed, as its entry does.
        if (params.uri === "skill://moving/SKILL.md") {
          reads += 1;
          skills["skill://moving"] = { "SKILL.md": instructions("moving", `Version ${1 + reads}.`) };
        }
        const found = read(params.uri);
        if (found === null) refuse();
        else reply(found);
        return true;
      }
    }
    return false;
  },
});
