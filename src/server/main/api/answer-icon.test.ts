import { expect, it } from "vitest";
import { LOCAL_PRINCIPAL } from "../../../lib/contract/access";
import { AppError } from "../../platform/shared/app-error";
import { answerIcon } from "./answer-icon";
import type { RequestContext } from "./context";

const IMAGE = { type: "image/svg+xml", bytes: new TextEncoder().encode("<svg/>") };

function ask(query: string, context: Partial<RequestContext> = {}): Promise<Response> {
  const read = ({ name }: { name: string }) => Promise.resolve(name === "files" ? IMAGE : null);
  return answerIcon(new Request(`http://127.0.0.1/api/icons${query}`), {
    actor: LOCAL_PRINCIPAL,
    refusal: null,
    services: { icons: { read } },
    ...context,
  } as unknown as RequestContext);
}

it("an icon comes with a policy under which it runs nothing, and a missing one is empty", async () => {
  const found = await ask("?server=files&theme=dark");
  expect([found.status, found.headers.get("content-type")]).toEqual([200, "image/svg+xml"]);
  expect(found.headers.get("content-security-policy")).toBe("default-src 'none'; style-src 'unsafe-inline'; sandbox");
  expect(await found.text()).toBe("<svg/>");
  expect((await ask("?tool=away")).status).toBe(204);
});

it("an icon is refused to users who are not signed in, and where the query names nothing", async () => {
  const refusal = new AppError("UNAUTHENTICATED", "Sign in first");
  expect((await ask("?server=files", { actor: null, refusal })).status).toBe(401);
  for (const query of ["", "?server=", "?server=files&theme=blue"]) {
    const refused = await ask(query);
    expect([refused.status, await refused.text()]).toEqual([400, expect.stringContaining("Name a tool or a server")]);
  }
});
