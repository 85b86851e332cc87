#!/usr/bin/env node
// The one command: installs what is missing, then speaks MCP over stdin and stdout until the client goes.
import path from "node:path";
import { pathToFileURL } from "node:url";
import { findHome } from "./startup/find-home.mjs";
import { InstallError, installDependencies } from "./startup/install-dependencies.mjs";
import { log } from "./startup/log.mjs";
import { reserveStdout } from "./startup/protocol-stdout.mjs";

// Before any package is loaded, so that none can print between two messages.
const stdout = reserveStdout();

const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  log(`needs Node 20.19 or newer, this is ${process.versions.node}`);
  process.exit(1);
}

/** Where its files and packages are. */
let home = "";
try {
  home = findHome();
  await installDependencies(home);
} catch (error) {
  if (!(error instanceof InstallError)) throw error;
  log(`${error.message}`);
  process.exit(1);
}

const { serve } = await import(pathToFileURL(path.join(home, "server/serve.mjs")).href);
await serve({ stdin: process.stdin, stdout, serverUrl: process.env.ZWAVE_SERVER_URL?.trim() || null });
