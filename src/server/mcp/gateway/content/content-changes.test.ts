import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { LOCAL_PRINCIPAL } from "../../../../lib/contract/access";
import { CatalogView } from "../catalog/catalog-view";
import type { GatewayPorts } from "../gateway-ports";
import type { GatewaySession } from "../gateway-session";
import { ContentChanges } from "./content-changes";
import type { GatewayContent } from "./content-port";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Changes with one session for each level, in front of two servers that answer when `answer` is called. */
function start(levels: string[]) {
  const requested: { server: string; level: string; answer: () => void }[] = [];
  const content = {
    listen: () => () => undefined,
    setLogLevel: (server: string, level: string) =>
      new Promise<void>((answer) => void requested.push({ server, level, answer })),
  } as unknown as GatewayContent;
  const ports = { serverNames: () => ["files", "mail"], tools: () => [], aliasNames: () => new Map() };
  const sessions = levels.map((logLevel) => ({
    view: new CatalogView("key", { server: null, plainNames: false, tools: null }, LOCAL_PRINCIPAL, ports),
    server: { logLevel },
  })) as unknown as GatewaySession[];
  return { requested, changes: new ContentChanges(ports as unknown as GatewayPorts, content, () => sessions, 0) };
}

it("a client's log level is set once every server has the lowest level that its clients requested", async () => {
  const { requested, changes } = start(["error", "notice"]);
  let isSet = false;
  const setting = changes.logLevelSet().then(() => {
    isSet = true;
  });
  expect(requested.map(({ server, level }) => [server, level])).toEqual([
    ["files", "notice"],
    ["mail", "notice"],
  ]);
  requested[0]?.answer();
  await vi.advanceTimersByTimeAsync(100);
  expect(isSet).toBe(false);
  requested[1]?.answer();
  await setting;
});

it("a server that does not answer delays a client's log level by two seconds at most", async () => {
  const { changes } = start(["debug"]);
  const setting = changes.logLevelSet();
  await vi.advanceTimersByTimeAsync(2_000);
  await setting;
});
