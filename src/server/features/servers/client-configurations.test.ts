import { expect, it } from "vitest";
import { clientConfigurations, createCloneBridge, createPackageBridge } from "./client-configurations";

const commandOf = (bridge: Parameters<typeof clientConfigurations>[1], part = {}) =>
  clientConfigurations("http://127.0.0.1:3000", bridge, part).find(({ client }) => client === "stdio")?.text;

it("the command over stdio is npm's in a clone, and full paths with the data folder in the package", () => {
  const clone = createCloneBridge("/srv/toolroom");
  expect(commandOf(clone)).toBe("npm --prefix /srv/toolroom run -s mcp");
  expect(commandOf(clone, { server: "files" })).toBe("npm --prefix /srv/toolroom run -s mcp -- --server files");
  const packed = createPackageBridge("/opt/toolroom", "/home/ada/My data");
  const start = `${process.execPath} /opt/toolroom/scripts/mcp.mjs --data '/home/ada/My data'`;
  expect(commandOf(packed)).toBe(start);
  expect(commandOf(packed, { toolset: "team" })).toBe(`${start} --set team`);
});
