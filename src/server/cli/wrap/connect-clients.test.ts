import { expect, it } from "vitest";
import { CONNECT_CLIENTS } from "../../../lib/contract/client-configuration";
import { CLIENTS } from "./clients";

it("the page Clients offers every client that wrap knows, under the same name", () => {
  const offered = new Map<string, string>(CONNECT_CLIENTS.map(({ id, label }) => [id, label]));
  for (const { id, label } of CLIENTS) expect([id, offered.get(id)]).toEqual([id, label]);
});
