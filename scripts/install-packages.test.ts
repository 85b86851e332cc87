import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { addAddresses, findHeaders } from "./install-packages.mjs";

describe("the lock file that npm installs from", () => {
  const lock = {
    packages: {
      "": { version: "1.0.0" },
      "node_modules/plain": { version: "1.2.3", integrity: "sha512-a" },
      "node_modules/@scope/part": { version: "2.0.0" },
      "node_modules/plain/node_modules/@own/inner": { version: "3.0.0" },
      "node_modules/alias": { name: "typescript", version: "7.0.2" },
      "node_modules/kept": { version: "1.0.0", resolved: "https://elsewhere.test/kept.tgz" },
    },
  };

  it("has the address of each package, in the layout of npm's registry, and all else as it was", () => {
    const { packages } = addAddresses(lock, { registry: "https://packages.test/npm/" });
    expect(packages).toEqual({
      ...lock.packages,
      "node_modules/plain": {
        version: "1.2.3",
        integrity: "sha512-a",
        resolved: "https://packages.test/npm/plain/-/plain-1.2.3.tgz",
      },
      "node_modules/@scope/part": {
        version: "2.0.0",
        resolved: "https://packages.test/npm/@scope/part/-/part-2.0.0.tgz",
      },
      "node_modules/plain/node_modules/@own/inner": {
        version: "3.0.0",
        resolved: "https://packages.test/npm/@own/inner/-/inner-3.0.0.tgz",
      },
      "node_modules/alias": {
        name: "typescript",
        version: "7.0.2",
        resolved: "https://packages.test/npm/typescript/-/typescript-7.0.2.tgz",
      },
    });
  });

  it("leaves packages of a scope with a registry of its own to npm", () => {
    const config = { registry: "https://packages.test", "@own:registry": "https://own.test" };
    const { packages } = addAddresses(lock, config);
    expect(packages["node_modules/plain/node_modules/@own/inner"]).toEqual({ version: "3.0.0" });
  });
});

it("a compiler gets the headers beside the node that runs, where they are", () => {
  const folder = mkdtempSync(path.join(tmpdir(), "node-"));
  const node = path.join(folder, "bin/node");
  expect(findHeaders(node)).toBe(null);
  mkdirSync(path.join(folder, "include/node"), { recursive: true });
  writeFileSync(path.join(folder, "include/node/node.h"), "");
  expect(findHeaders(node)).toBe(folder);
});
