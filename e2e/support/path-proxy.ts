import http from "node:http";
import type { AddressInfo } from "node:net";

/** A reverse proxy whose host several programs share, each under a path of its own. */
export interface PathProxy {
  origin: string;
  /** What was asked for outside of every path: a page of a Toolroom must ask for nothing there. */
  strays: string[];
  close(): Promise<void>;
}

export interface Mount {
  /** Such as `/toolroom`. */
  path: string;
  port: number;
  /** Whether the proxy removes the path before it passes a request on, as nginx does for `proxy_pass http://server/`. */
  isRemoved: boolean;
}

/** @param mounts read at each request: a server may be started once the address is known */
export async function startPathProxy(mounts: readonly Mount[]): Promise<PathProxy> {
  const strays: string[] = [];
  const server = http.createServer((request, response) => {
    const target = request.url ?? "/";
    const { pathname } = new URL(target, "http://localhost");
    const below = pathname.replace(/^\/\.well-known\/[^/]+(?=\/)/, "");
    const mount = mounts.find(({ path }) => below === path || below.startsWith(`${path}/`));
    if (mount === undefined) {
      strays.push(`${request.method} ${target}`);
      response.writeHead(404, { "content-type": "text/html" }).end("<h1>The proxy has nothing here</h1>");
      return;
    }
    const isRemoved = mount.isRemoved && below === pathname;
    const path = isRemoved ? target.slice(mount.path.length).replace(/^(?!\/)/, "/") : target;
    const headers = { ...request.headers, "x-forwarded-for": "203.0.113.7", "x-forwarded-proto": "http" };
    const upstream = http.request({ port: mount.port, method: request.method, path, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    response.on("close", () => upstream.destroy());
    upstream.on("error", () => (response.headersSent ? response.destroy() : response.writeHead(502).end()));
    request.pipe(upstream);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${port}`,
    strays,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
