// Loaded into a measured server with `--import`: a loopback address that returns its processor time so far (`/cpu`, in
// microseconds), its memory (`/memory`, in bytes), and its memory after a garbage collection (`/collected`).
import { createServer } from "node:http";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

setFlagsFromString("--expose-gc");
/** @type {() => void} */
const collect = runInNewContext("gc");

const server = createServer((request, response) => {
  if (request.url === "/collected") {
    collect();
    collect();
  }
  response.end(JSON.stringify(request.url === "/cpu" ? process.cpuUsage() : process.memoryUsage()));
});
server.listen(0, "127.0.0.1", () => {
  const address = /** @type {import("node:net").AddressInfo} */ (server.address());
  console.log(`probe: http://127.0.0.1:${address.port}`);
});
server.unref();
