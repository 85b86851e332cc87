import { planWrap } from "./plan-wrap";
import { BRIDGE, readPlaced } from "./wrap.test-support";
import { applyChange, planChange, unwrapFile } from "./wrap-file";
import { WrapState } from "./wrap-state";

/** Started as a process of its own: wraps and unwraps two files until it is killed. */
const [, , homeFolder = "", cursor = "", codex = ""] = process.argv;
const machine = { platform: "linux", homeFolder, workFolder: "/", env: {} } as const;

process.send?.("ready");
for (;;) {
  for (const [client, file] of [
    ["cursor", cursor],
    ["codex", codex],
  ] as const) {
    const plan = await planWrap(readPlaced(client, file, machine), null, null);
    const change = planChange(plan, BRIDGE);
    if (change !== null) applyChange(plan, change, WrapState.open(homeFolder), 0);
  }
  const state = WrapState.open(homeFolder);
  for (const wrapped of [...state.files].reverse()) unwrapFile(wrapped, state);
}
