import { expect, it } from "vitest";
import { LOCAL_PRINCIPAL } from "../../../lib/contract/access";
import type { ServedView } from "../../engine/client-ports";
import { explainLimit, findLeftOut } from "./missing-tools";

/** An address that serves some servers, and lists nothing yet. */
const view: ServedView = {
  key: "",
  query: { server: null, plainNames: true, tools: null, servers: ["files", "notes"] },
  isRecorded: false,
  principal: LOCAL_PRINCIPAL,
  listed: () => [],
  find: () => undefined,
  admits: () => false,
  catalogName: (name) => name,
};

it("at an address that names servers, what other servers and Toolroom itself have is not left out but elsewhere", () => {
  const missing = (name: string, server: string | null) => ({
    name,
    server,
    kind: "server" as const,
    reason: "not_connected" as const,
    detail: "It has not connected",
  });
  const tools = [
    { name: "files__read", server: "files" },
    { name: "other__read", server: "other" },
    { name: "echo", server: null },
  ];
  const facts = { tools: () => tools, missing: () => [missing("notes", null), missing("other", null)] };
  const { leftOut } = findLeftOut(facts as never, view);
  expect(leftOut.map(({ name }) => name)).toEqual(["notes", "files__read"]);
  expect(explainLimit(view, LOCAL_PRINCIPAL, { name: "other__read", server: "other" } as never)).toBe(
    "The address serves the servers files, notes only",
  );
});
