// Has an icon of its own for each theme, one for a tool by an address, and a tool whose icon is none.
import { createServer } from "node:http";
import { serveStdio, text } from "./stdio-server.mjs";

/** @param {string} color */
const draw = (color) =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><circle cx="8" cy="8" r="7" fill="${color}"/></svg>`;
/** @param {string} color */
const toData = (color) => `data:image/svg+xml;base64,${Buffer.from(draw(color)).toString("base64")}`;

const images = createServer((_request, response) => {
  response.writeHead(200, { "content-type": "image/svg+xml" }).end(draw("seagreen"));
});
images.listen(0, "127.0.0.1", () => {
  const address = images.address();
  const port = typeof address === "object" ? address?.port : 0;
  serveStdio({
    name: "icons",
    icons: [
      { src: toData("royalblue"), theme: "light" },
      { src: toData("gold"), theme: "dark" },
    ],
    tools: [
      {
        name: "draw",
        description: "Draws",
        icons: [{ src: `http://127.0.0.1:${port}/draw.svg`, mimeType: "image/svg+xml" }],
        run: () => text("drawn"),
      },
      {
        name: "trick",
        description: "Has a page for an icon",
        icons: [{ src: "data:image/png,<script>alert(1)</script>" }],
        run: () => text("tricked"),
      },
    ],
  });
});
