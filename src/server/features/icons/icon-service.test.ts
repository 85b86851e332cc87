import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { createAddressPolicy } from "../../platform/outgoing/address-policy";
import { createOutgoingAgents } from "../../platform/outgoing/outgoing-agents";
import { createOutgoingFetch } from "../../platform/outgoing/outgoing-fetch";
import { createIconService } from "./icon-service";
import { MAX_ICON_BYTES } from "./read-image";

const PNG = Buffer.from("89504e470d0a1a0a", "hex");
const SVG = "<svg xmlns='http://www.w3.org/2000/svg'/>";

async function serve(answer: RequestListener): Promise<string> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function openIcons(icons: unknown, { local = true, clock = { at: 0 } } = {}) {
  const service = createIconService({
    fetch: createOutgoingFetch(createOutgoingAgents(createAddressPolicy({ privateAddresses: null, local }))),
    findToolIcons: () => icons,
    findServerIcons: () => icons,
    now: () => clock.at,
  });
  return (theme: "light" | "dark" = "light") => service.read({ of: "tool", name: "t", theme }, "ada");
}

describe("the icons of servers and tools", () => {
  it("are taken by their bytes, whatever they are called, and only where they are small images", async () => {
    const toData = (bytes: string | Buffer, type = "text/html") =>
      `data:${type};base64,${Buffer.from(bytes).toString("base64")}`;
    expect(await openIcons([{ src: toData(PNG) }])()).toMatchObject({ type: "image/png" });
    expect(await openIcons([{ src: `data:image/svg+xml,${encodeURIComponent(SVG)}` }])()).toMatchObject({
      type: "image/svg+xml",
    });
    const refused = [
      toData("<html><svg></svg></html>", "image/svg+xml"),
      toData("<script>alert(1)</script>", "image/png"),
      toData(Buffer.concat([PNG, Buffer.alloc(MAX_ICON_BYTES)]), "image/png"),
      "data:image/png,%E0%A4%A",
      "javascript:alert(1)",
      "file:///etc/passwd",
    ];
    for (const src of refused) expect(await openIcons([{ src }])(), src).toBeNull();
    for (const icons of [undefined, "text", [null, 1, {}], [{ src: 1 }]]) expect(await openIcons(icons)()).toBeNull();
  });

  it("suit the theme and the size", async () => {
    const toSource = (name: string) => `data:,${encodeURIComponent(`<svg id="${name}"/>`)}`;
    const read = openIcons([
      { src: toSource("large"), sizes: ["256x256"] },
      { src: toSource("small"), sizes: ["16x16"] },
      { src: toSource("right"), sizes: ["48x48"] },
      { src: toSource("night"), theme: "dark" },
    ]);
    const readName = async (theme: "light" | "dark") => Buffer.from((await read(theme))?.bytes ?? []).toString();
    expect(await readName("light")).toContain("right");
    expect(await readName("dark")).toContain("night");
  });

  it("are fetched once under the rules for outgoing addresses, and a failure is forgotten after a while", async () => {
    let asked = 0;
    let isAway = true;
    const base = await serve((request, response) => {
      asked += 1;
      if (request.url === "/from") response.writeHead(302, { location: "/to" }).end();
      else response.writeHead(isAway ? 500 : 200, { "content-type": "text/plain" }).end(PNG);
    });
    const icons = [{ src: `${base}/from` }];
    expect(await openIcons(icons, { local: false })()).toBeNull();
    expect(asked).toBe(0);
    const clock = { at: 0 };
    const read = openIcons(icons, { clock });
    expect([await read(), await read()]).toEqual([null, null]);
    expect(asked).toBe(2);
    isAway = false;
    clock.at += 11 * 60_000;
    expect([(await read())?.type, (await read())?.type]).toEqual(["image/png", "image/png"]);
    expect(asked).toBe(4);
  });

  it("that are larger than an icon are not read to their end", async () => {
    let closed = 0;
    const base = await serve((_request, response) => {
      response.on("close", () => (closed += 1));
      const send = (): void => {
        while (!response.destroyed && response.write(Buffer.alloc(16_384, PNG)));
        response.once("drain", send);
      };
      send();
    });
    expect(await openIcons([{ src: `${base}/endless` }])()).toBeNull();
    await expect.poll(() => closed).toBe(1);
  });
});
