import { fork } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import { bundleServerCode } from "../../../../scripts/server-code.mjs";
import { makeMachine, placeSample } from "./wrap.test-support";
import { unwrapFile } from "./wrap-file";
import { WrapState } from "./wrap-state";

const KILLS = 6;
/** So long the process works before it is killed, a little longer each time. */
const STEP_MS = 7;
const CURSOR = `{\n  "mcpServers": {\n${Array.from({ length: 400 }, (_, at) => `    "s${at}": { "command": "s${at}" }`).join(",\n")}\n  }\n}\n`;
const CODEX = '[mcp_servers.files]\ncommand = "files-mcp"\n';

it("a process that is killed leaves each file old or new, and unwrap brings all back", async () => {
  const machine = makeMachine();
  const cursor = placeSample({ client: "cursor", file: ".cursor/mcp.json", text: CURSOR }, machine);
  const codex = placeSample({ client: "codex", file: ".codex/config.toml", text: CODEX }, machine);
  const script = await bundleServerCode("src/server/cli/wrap/wrap-loop.test-support.ts");
  for (let kill = 1; kill <= KILLS; kill += 1) {
    const child = fork(script, [machine.homeFolder, cursor, codex]);
    await once(child, "message");
    await sleep(kill * STEP_MS);
    child.kill("SIGKILL");
    await once(child, "exit");
    const texts = [readFileSync(cursor, "utf8"), readFileSync(codex, "utf8")];
    for (const [at, old] of [CURSOR, CODEX].entries()) {
      const isOld = texts[at] === old;
      expect(isOld || texts[at]?.includes("/opt/toolroom/scripts/mcp.mjs")).toBe(true);
    }
    const state = WrapState.open(machine.homeFolder);
    for (const wrapped of [...state.files].reverse())
      expect(unwrapFile(wrapped, state).result).toMatch(/restored|unchanged/);
    expect([readFileSync(cursor, "utf8"), readFileSync(codex, "utf8"), state.files]).toEqual([CURSOR, CODEX, []]);
  }
  // A draft that was left behind is written over by the next run.
  expect(readdirSync(path.dirname(codex)).every((name) => /^config\.toml(?:\.toolroom-new)?$/.test(name))).toBe(true);
}, 120_000);
