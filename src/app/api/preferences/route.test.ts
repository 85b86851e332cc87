import { expect, it } from "vitest";
import { DEFAULT_PREFERENCES, parsePreferences, serializePreferences } from "@/app/_kit/preferences";
import { POST } from "./route";

async function saved(body: string) {
  const response = await POST(new Request("http://localhost/api/preferences", { method: "POST", body }));
  expect(response.status).toBe(204);
  const cookie = response.headers.get("set-cookie") ?? "";
  expect(cookie).toMatch(/; Path=\/; Max-Age=31536000; SameSite=Lax; HttpOnly$/);
  return parsePreferences(decodeURIComponent(/^[^=]+=([^;]*)/.exec(cookie)?.[1] ?? ""));
}

it("ERR-02 preferences are kept in a cookie; a body that is none becomes the defaults, never a failure", async () => {
  const dark = { ...DEFAULT_PREFERENCES, theme: "dark" as const };
  expect(await saved(serializePreferences(dark))).toEqual(dark);
  for (const garbage of ["", "[garbage", "theme=x\r\nset-cookie: a=b", '{"theme":{}}', "\u0000"]) {
    expect(await saved(garbage)).toEqual(DEFAULT_PREFERENCES);
  }
});
